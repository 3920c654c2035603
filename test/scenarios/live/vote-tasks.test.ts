/** Votes by filter over HTTP: dry run, task, progress, taking back. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { spawnService, startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

async function filled(count: number, at: Client = client): Promise<{ jobId: number; key: string }> {
  const { jobId, key } = await makeJob(at, { decision_points: ['rule'] })
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ job_id: jobId, event_id: `e${n}`, raw_body: { rule: `r${n % 10}`, n } }),
  )
  await at.bulk(lines.join('\n'))
  return { jobId, key }
}

const r3 = [{ field: 'rule', operator: 'is', value: 'r3' }]

/** Ids of events with a vote of their own, by label of the event's consensus. */
async function votesOf(jobId: number, eventId: string, at: Client = client): Promise<string[]> {
  const { body } = await at.get(`/api/v2/events/${jobId}/${eventId}/consensus`)
  return body.votes.map(({ analyst, label }: any) => `${analyst} ${label}`).sort()
}

async function finished(jobId: number, taskId: string, state = 'finished', at: Client = client): Promise<any> {
  const { body } = await eventually(
    () => at.get(`/api/v2/jobs/${jobId}/vote-tasks/${taskId}`),
    (answer) => answer.body.state === state,
  )
  return body
}

test('a dry run counts and shows, and changes nothing; a task votes on what was counted, and no more', async () => {
  const { jobId } = await filled(200)
  const path = `/api/v2/jobs/${jobId}/vote-tasks`
  const dry = await client.post(path, { feedback: 'drop', filters: r3, dry_run: true })
  assert.equal(dry.status, 200, dry.text)
  assert.deepEqual([dry.body.label, dry.body.count, dry.body.count_is_exact, dry.body.task], ['Drop', 20, true, null])
  assert.equal(dry.body.sample.length, 5)
  assert.deepEqual((await client.get(path)).body.tasks, [])
  await client.post('/api/v1/events/late', { job_id: jobId, raw_body: { rule: 'r3' } })
  await client.put(`/api/v1/events/${jobId}/e3/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  const request = { feedback: 'Drop', cortex_user: 'ann', filters: r3, until: dry.body.until }
  const { body } = await client.post(path, request)
  const done = await finished(jobId, body.task.task_id)
  assert.deepEqual([done.expected, done.voted, done.unchanged, done.gone, done.failed], [20, 19, 1, 0, 0])
  const bucket = await client.get(`/api/v2/events/${jobId}/e13/consensus`)
  assert.equal(bucket.body.consensus, 'Drop')
  assert.equal(bucket.body.votes_count ?? bucket.body.votes.length, 20)
})

test('the undo token takes back what is still as the task left it, and puts back what was there before', async () => {
  const { jobId } = await filled(100)
  const path = `/api/v2/jobs/${jobId}/vote-tasks`
  await client.put(`/api/v1/events/${jobId}/e3/feedback`, { cortex_user: 'ann', feedback: 'Escalate' })
  const { body } = await client.post(path, { feedback: 'Drop', cortex_user: 'ann', filters: r3 })
  const id = body.task.task_id
  assert.equal((await finished(jobId, id)).voted, 10)
  await client.put(`/api/v1/events/${jobId}/e23/feedback`, { cortex_user: 'ann', feedback: 'Investigate' })
  assert.equal((await client.post(`${path}/${id}/undo`, { undo_token: 'another' })).status, 403)
  assert.equal((await client.post(`${path}/${id}/undo`, { undo_token: body.undo_token })).status, 200)
  const undone = await finished(jobId, id, 'undone')
  assert.deepEqual([undone.taken_back, undone.kept], [9, 1])
  assert.deepEqual(await votesOf(jobId, 'e3'), ['ann Escalate', 'ann Investigate'])
  const again = await client.post(`${path}/${id}/undo`, { undo_token: body.undo_token })
  assert.equal(again.body.state, 'undone')
  const { body: audit } = await client.get(`/api/monitoring/api/v1/audit/logs?job_id=${jobId}&object_type=task`)
  const actions = audit.audit_logs.map(({ action }: any) => action)
  assert.deepEqual(actions, ['votes by filter taken back', 'votes by filter requested'])
  assert.ok(!JSON.stringify(audit).includes('"r3"'))
})

test('what is wrong is refused with a sentence', async () => {
  const { jobId, key } = await filled(1)
  const path = `/api/v2/jobs/${jobId}/vote-tasks`
  assert.equal((await client.post(path, { feedback: 'nothing', dry_run: true })).status, 400)
  assert.equal((await client.post(path, { feedback: 'Drop', filter: r3 })).status, 422)
  assert.equal((await client.post(path, { feedback: 'Drop', until: 'soon' })).status, 422)
  assert.equal((await client.get(`${path}/nothing`)).status, 404)
  assert.equal((await client.withKey(key).post(path, { feedback: 'Drop', dry_run: true })).status, 403)
  assert.equal((await client.post('/api/v2/jobs/99999/vote-tasks', { feedback: 'Drop' })).status, 404)
})

test('a task that a crash cut off goes on after the next start, and counts each vote once', async () => {
  const first = await spawnService()
  const { jobId } = await filled(2_000, first.client)
  const path = `/api/v2/jobs/${jobId}/vote-tasks`
  const { body } = await first.client.post(path, { feedback: 'Drop', cortex_user: 'ann' })
  const id = body.task.task_id
  await eventually(
    () => first.client.get(`${path}/${id}`),
    (answer) => answer.body.voted > 0,
  )
  await first.kill()
  const second = await spawnService({ dataDir: first.dataDir })
  try {
    const done = await finished(jobId, id, 'finished', second.client)
    assert.deepEqual([done.voted, done.unchanged, done.gone], [2_000, 0, 0])
    await second.client.post(`${path}/${id}/undo`, { undo_token: body.undo_token })
    const undone = await finished(jobId, id, 'undone', second.client)
    assert.equal(undone.taken_back, 2_000)
  } finally {
    await second.close()
    await first.close()
  }
})

test('a task that is taken back or ended at once stays so', async () => {
  const { jobId } = await filled(3_000)
  const path = `/api/v2/jobs/${jobId}/vote-tasks`
  for (let round = 0; round < 3; round++) {
    const first = await client.post(path, { feedback: 'Drop', cortex_user: `bob ${round}` })
    const id = first.body.task.task_id
    const undoing = await client.post(`${path}/${id}/undo`, { undo_token: first.body.undo_token })
    assert.ok(['undoing', 'undone'].includes(undoing.body.state), undoing.text)
    const undone = await finished(jobId, id, 'undone')
    assert.deepEqual([undone.taken_back, undone.kept], [undone.voted, 0])
    const second = await client.post(path, { feedback: 'Drop', cortex_user: `eve ${round}` })
    const ended = await client.delete(`${path}/${second.body.task.task_id}`)
    assert.equal(ended.body.state, 'cancelled', ended.text)
    const { body } = await client.get(`${path}/${second.body.task.task_id}`)
    assert.equal(body.state, 'cancelled')
  }
  assert.deepEqual(await votesOf(jobId, 'e3').then((votes) => votes.filter((vote) => vote.startsWith('bob'))), [])
})
