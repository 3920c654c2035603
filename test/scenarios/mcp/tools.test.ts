/** The official client drives every tool against a running service. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { tools } from '../../../server/mcp/tools.js'
import { eventually, makeJob } from '../../support/client.js'
import { connectAgent, type Agent } from '../../support/mcp/agent.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let agent: Agent
let jobId: number
let title: string

before(async () => {
  service = await startService()
  agent = await connectAgent(service)
  const job = await makeJob(service.client, { decision_points: ['rule', 'host'] })
  jobId = job.jobId
  title = job.title
  const lines = Array.from({ length: 60 }, (_, n) => ({
    job_id: jobId,
    event_id: `e-${n}`,
    raw_body: { rule: `rule ${n % 6}`, host: n % 2 === 0 ? 'web' : 'db', n },
  }))
  await service.client.bulk(lines.map((line) => JSON.stringify(line)).join('\n'))
})
after(async () => {
  await agent.close()
  await service.close()
})

test('each tool says what it does, what it takes, what it gives, and whether it changes anything', async () => {
  const { tools: listed } = await agent.client.listTools()
  assert.deepEqual(
    listed.map(({ name }) => name),
    tools.map(({ name }) => name),
  )
  for (const tool of listed) {
    assert.ok(tool.description!.length > 20 && tool.description!.length < 400, tool.name)
    assert.equal(tool.inputSchema.type, 'object', tool.name)
    assert.equal(tool.outputSchema!.type, 'object', tool.name)
    assert.equal(typeof tool.annotations!.readOnlyHint, 'boolean', tool.name)
  }
  const destructive = listed.filter(({ annotations }) => annotations!.destructiveHint).map(({ name }) => name)
  assert.deepEqual(destructive, [
    'override_consensus',
    'delete_events',
    'promote_model',
    'rollback',
    'promote_challenger',
    'delete_resources',
  ])
})

test('jobs are found by a part of their title, and shown with what they decide by', async () => {
  const found = await agent.call('find_jobs', { text: title.toLowerCase() })
  assert.equal(found.total, 1)
  assert.equal(found.jobs[0].job_id, jobId)
  const job = await agent.call('get_job', { job_id: jobId })
  assert.deepEqual(job.decision_points, ['rule', 'host'])
  assert.equal(job.events, 60)
})

test('events are listed page by page, and new ones do not move the pages', async () => {
  const ids: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < 4; page++) {
    const answer = await agent.call('search_events', { job_id: jobId, limit: 20, ...(cursor ? { cursor } : {}) })
    ids.push(...answer.events.map((event: { event_id: string }) => event.event_id))
    cursor = answer.next_cursor
    if (cursor === null) break
    await service.client.post(`/api/v1/events/late-${page}`, { job_id: jobId, raw_body: { rule: 'late', host: 'web' } })
  }
  assert.equal(cursor, null)
  assert.equal(new Set(ids).size, 60)
  assert.equal(ids.length, 60)
})

test('a vote says first what it is about, and counts when its token comes back', async () => {
  const input = { job_id: jobId, event_id: 'e-0', label: 'Drop', analyst: 'ann' }
  const dry = await agent.call('vote', input)
  assert.equal(dry.changed, false)
  assert.equal(dry.count, 10)
  const before = await agent.call('get_event', { job_id: jobId, event_id: 'e-0' })
  assert.equal(before.votes.votes_count, 0)

  const done = await agent.call('vote', { ...input, token: dry.token })
  assert.equal(done.changed, true)
  assert.equal(done.result.consensus, 'Drop')
  const again = await agent.call('vote', { ...input, token: dry.token })
  assert.equal(again.changed, false, 'a token works once')
  const other = await agent.call('vote', { ...input, label: 'Escalate', token: again.token })
  assert.equal(other.changed, false, 'a token is for the same arguments')

  const after = await agent.call('get_event', { job_id: jobId, event_id: 'e-0' })
  assert.equal(after.votes.consensus, 'Drop')
  assert.match(JSON.stringify(after.untrusted.votes), /ann/)
  await agent.change('vote', { job_id: jobId, event_id: 'e-2', label: 'Drop', analyst: 'ann' })
  const taken = await agent.change('vote', { job_id: jobId, event_id: 'e-2', withdraw: true, analyst: 'ann' })
  assert.equal(taken.changed, true)
})

test('a job is trained, decides, and says what another event would get', async () => {
  await agent.change('vote', { job_id: jobId, event_id: 'e-1', label: 'Escalate', scope: 'bucket' })
  assert.equal((await agent.change('train', { job_id: jobId })).changed, true)
  await eventually(
    () => agent.call('get_job', { job_id: jobId }),
    ({ training }) => training === 'RETRAIN_FINISHED',
  )
  const decided = await agent.call('what_if', { job_id: jobId, event: { rule: 'rule 0', host: 'web' }, explain: true })
  assert.equal(decided.decision.result_label, 'Drop')
  assert.ok(decided.untrusted.explanation !== undefined)
  const redone = await agent.change('reprocess', { job_id: jobId, event_id: 'e-6' })
  assert.equal(redone.result.events_updated, 1)
  const many = await agent.change('reprocess', {
    job_id: jobId,
    filters: [{ field: 'host', operator: 'is', value: 'db' }],
  })
  assert.equal(many.count, 30)
  const event = await agent.call('get_event', { job_id: jobId, event_id: 'e-6' })
  assert.equal(event.decision.result_label, 'Drop')
  assert.ok(event.similar.length > 0)
})

test('what to label next is asked for, with a reason', async () => {
  const { next, unvoted } = await agent.call('next_to_label', { job_id: jobId, limit: 3 })
  assert.equal(next.length, 3)
  assert.ok(unvoted >= 3)
  const { event_id, picked_by, reason, untrusted } = next[0]
  assert.ok(reason.length > 5)
  assert.deepEqual(Object.keys(untrusted.decision_points), ['rule', 'host'])
  const vote = { job_id: jobId, event_id, label: 'Investigate', analyst: 'bob', picked_by }
  assert.equal((await agent.change('vote', vote)).changed, true)
})

test('a label that the job does not have is refused by the dry run, with the labels that there are', async () => {
  for (const name of ['vote', 'override_consensus']) {
    const refused = await agent.result(name, { job_id: jobId, event_id: 'e-6', label: 'Nope' })
    assert.equal(refused.isError, true, name)
    assert.match(JSON.stringify(refused.content), /There is no label Nope\. The labels of the job are Escalate, Drop, /)
  }
  assert.equal((await agent.result('vote', { job_id: jobId, event_id: 'e-6', label: 'drop' })).isError, undefined)
})

test('texts of an answer have its data as JSON, for clients that pass on nothing else', async () => {
  const { content, structuredContent } = (await agent.result('find_jobs', {})) as any
  assert.equal(content.length, 2)
  assert.deepEqual(JSON.parse(content[1].text), structuredContent)
})

test('a model is rolled back and promoted again', async () => {
  await agent.change('train', { job_id: jobId })
  const { models } = await eventually(
    () => agent.call('models', { job_id: jobId }),
    ({ models: all }) => all.length === 2 && all[0].active,
  )
  const back = await agent.change('rollback', { job_id: jobId })
  assert.deepEqual(back.result, { from: models[0].model_id, to: models[1].model_id })
  const again = await agent.change('promote_model', { job_id: jobId, model_id: models[0].model_id })
  assert.equal(again.result.to, models[0].model_id)
  const twice = await agent.call('promote_model', { job_id: jobId, model_id: models[0].model_id })
  assert.equal(twice.token, undefined)
})

test('stored events are replayed with another model, and the report keeps words of events apart', async () => {
  const { models } = await agent.call('models', { job_id: jobId })
  const started = await agent.change('start_replay', { job_id: jobId, model_id: models[1].model_id })
  const { replay_id } = started.result
  const one = await eventually(
    () => agent.call('replay', { job_id: jobId, replay_id }),
    ({ replays }) => replays[0].status === 'finished',
  )
  assert.equal(typeof one.report.changed, 'number')
  assert.ok(one.report.events > 0)
  assert.equal(one.report.top_buckets, undefined)
  assert.ok(Array.isArray(one.untrusted.top_buckets))
  const { replays, total } = await agent.call('replay', { job_id: jobId })
  assert.deepEqual([replays[0].replay_id, total], [replay_id, 1])
  const unknown = await agent.result('replay', { job_id: jobId, replay_id: 'none' })
  assert.equal(unknown.isError, true)
})

test('a challenger is started, compared, dropped, and started again and promoted', async () => {
  const { models } = await agent.call('models', { job_id: jobId })
  const one = { job_id: jobId }
  const without = await agent.result('promote_challenger', one)
  assert.match(JSON.stringify(without.content), /has no challenger/)
  const started = await agent.change('start_challenger', { ...one, model_id: models[1].model_id })
  assert.equal(started.result.model_id, models[1].model_id)
  const { challenger } = await agent.call('challenger', one)
  assert.equal(challenger.model_id, models[1].model_id)
  assert.equal((await agent.change('drop_challenger', one)).changed, true)
  assert.equal((await agent.call('challenger', one)).challenger, null)
  await agent.change('start_challenger', { ...one, model_id: models[1].model_id })
  const promoted = await agent.change('promote_challenger', one)
  assert.equal(promoted.result.to, models[1].model_id)
})

test('quality, safety, clusters and deliveries are answered', async () => {
  const figures = await agent.call('metrics', { job_id: jobId })
  assert.equal(figures.labels.length, 3)
  const safety = await agent.call('safety_status', { job_id: jobId })
  assert.equal(safety.contract.mode, 'off')
  assert.equal(safety.waiting, null)
  const deliveries = await agent.call('deliveries', {})
  assert.equal(deliveries.total_failed, 0)
  const cause = await makeJob(service.client, { category: 'Automated root cause analysis', decision_points: [] })
  await service.client.post('/api/v1/events/a-1', {
    job_id: cause.jobId,
    raw_body: { alertname: 'DiskFull', host: 'db-1', timestamp: new Date().toISOString() },
  })
  const found = await eventually(
    () => agent.call('clusters', { job_id: cause.jobId }),
    ({ clusters }) => clusters.length === 1,
  )
  const tree = await agent.call('clusters', { job_id: cause.jobId, cluster_id: found.clusters[0].cluster_id })
  assert.match(JSON.stringify(tree.untrusted.members), /a-1/)
})

test('a job is stopped and started, and twice is once', async () => {
  assert.equal((await agent.change('stop', { job_id: jobId })).changed, true)
  const twice = await agent.call('stop', { job_id: jobId })
  assert.equal(twice.token, undefined)
  assert.equal((await agent.change('start', { job_id: jobId })).changed, true)
})

test('a note stands with the event', async () => {
  await agent.change('note', { job_id: jobId, event_id: 'e-5', text: 'The host is a scanner.' })
  const event = await agent.call('get_event', { job_id: jobId, event_id: 'e-5' })
  assert.match(JSON.stringify(event.untrusted.notes), /a scanner/)
})

test('jobs and integrations are set up and deleted', async () => {
  await agent.change('setup_integration', {
    title: 'Hook',
    integration_type: 'Webhook',
    parameters: { url: 'https://hooks.example/in' },
  })
  const made = await agent.change('setup_job', {
    title: 'Made by an agent',
    decision_points: ['rule.id'],
    labels: ['Page', 'Ticket', 'Ignore'],
    steps: [{ integration: 'Hook', role: 'output', enabled: false }],
  })
  const id = made.result.created[0].internal_id
  const job = await agent.call('get_job', { job_id: id })
  assert.deepEqual(job.labels, ['Page', 'Ticket', 'Ignore'])
  const changed = await agent.call('setup_job', { title: 'Made by an agent', decision_points: ['rule.name'] })
  assert.match(changed.effect, /Changes the job/)
  const gone = await agent.change('delete_resources', { resource_type: 'job', id: String(id) })
  assert.equal(gone.result.deleted, 1)
})

test('the consensus is overridden and given back', async () => {
  const one = { job_id: jobId, event_id: 'e-0' }
  const set = await agent.change('override_consensus', { ...one, label: 'Investigate' })
  assert.equal(set.result.consensus, 'Investigate')
  const back = await agent.change('override_consensus', { ...one, withdraw: true })
  assert.equal(back.result.consensus, 'Drop')
})

test('events are deleted by filter, after a count', async () => {
  const filters = [{ field: 'rule', operator: 'is', value: 'rule 5' }]
  const dry = await agent.call('delete_events', { job_id: jobId, filters })
  assert.equal(dry.count, 10)
  await service.client.post('/api/v1/events/one-more', { job_id: jobId, raw_body: { rule: 'rule 5', host: 'web' } })
  const more = await agent.call('delete_events', { job_id: jobId, filters, token: dry.token })
  assert.equal(more.changed, false, 'more would be deleted than was shown')
  assert.equal(more.count, 11)
  const done = await agent.call('delete_events', { job_id: jobId, filters, token: more.token })
  assert.equal(done.result.events_deleted, 11)
})

test('an id that can be in no path is refused with a sentence, as any other error', async () => {
  const { isError, content } = await agent.result('get_event', { job_id: jobId, event_id: 'half a pair \ud800' })
  assert.equal(isError, true)
  assert.deepEqual(content, [{ type: 'text', text: 'event_id is missing, or cannot be part of an address' }])
})

test('every tool was driven, and each call is in the audit log with the name of the client', async () => {
  // What is waited for is asked about again and again: on a slow machine there are many entries.
  const logged: { object_id: string; details: { agent: string; ending: string } }[] = []
  for (let page = 0, more = true; more; page++) {
    const path = `/api/monitoring/api/v1/audit/logs?action=tool%20called&size=200&page=${page}`
    const { body } = await service.client.get(path)
    logged.push(...body.audit_logs)
    more = body.audit_logs.length > 0
  }
  assert.deepEqual(
    tools.map(({ name }) => name).filter((name) => !logged.some(({ object_id: id }) => id === name)),
    [],
  )
  assert.ok(logged.every(({ details }) => details.agent === 'test agent 7'))
  assert.ok(logged.some(({ details }) => details.ending === 'dry run'))
  assert.ok(logged.some(({ details }) => details.ending === 'done'))
})
