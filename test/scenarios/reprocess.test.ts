/** What existing clients do with stored events: vote by query, decide again, write notes (C2.4 to C2.6). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService({ name: 'arcanna' })
  client = service.client
})
after(() => service.close())

/** Ten events from before the model, and the model. */
async function taught(): Promise<{ jobId: number; key: string }> {
  const advanced_settings = { decide_stored_events: false }
  const { jobId, key } = await makeJob(client, { decision_points: ['rule'], advanced_settings })
  for (let i = 0; i < 10; i++) {
    const rawBody = { rule: i % 2 === 0 ? 'noise' : 'alarm', '@timestamp': `2026-01-1${i}T10:00:00Z` }
    assert.equal((await client.post(`/api/v1/events/e${i}`, { job_id: jobId, raw_body: rawBody })).status, 201)
  }
  for (const [id, label] of [
    ['e0', 'drop'],
    ['e1', 'label_0'],
  ] as const) {
    const answer = await client.put(
      `/api/v2/events/${jobId}/${id}/feedback?feedback_label=${label}&storage_name=internal`,
    )
    assert.deepEqual([answer.status, answer.body.status], [200, 'updated'])
  }
  assert.equal((await client.post(`/api/v2/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
  return { jobId, key }
}

async function section(jobId: number, id: string): Promise<any> {
  return (await client.get(`/api/v1/events/${jobId}/${id}/export`)).body.arcanna_event.arcanna
}

test("a vote by query alone is the caller's; a wrong one is refused", async () => {
  const { jobId } = await makeJob(client)
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
  const path = `/api/v2/events/${jobId}/e/feedback`
  assert.equal((await client.put(`${path}?feedback_label=Escalate`)).status, 200)
  assert.equal((await client.put(`${path}?feedback_label=ESCALATE`, { anything: 1 })).status, 200)
  assert.equal((await client.get(`/api/v1/jobs/${jobId}`)).body.feedback_documents_count, 1)
  assert.equal((await section(jobId, 'e')).consensus, 'Escalate')
  const missing = await client.put(path)
  assert.deepEqual([missing.status, missing.body.detail[0].loc], [422, ['query', 'feedback_label']])
  assert.equal((await client.put(`${path}?feedback_label=maybe`)).status, 400)
  assert.equal((await client.put(`/api/v2/events/${jobId}/nobody/feedback?feedback_label=Drop`)).status, 404)
  assert.equal((await client.put('/api/v2/events/none/e/feedback?feedback_label=Drop')).status, 404)
})

test('one event is decided again; its previous decision is in its export', async () => {
  const { jobId } = await taught()
  assert.equal((await client.get(`/api/v1/events/${jobId}/e3`)).body.result, '')
  const answer = await client.post(`/api/v2/events/${jobId}/e3/reprocess`)
  assert.deepEqual(
    [answer.status, answer.body],
    [200, { request: { status: 'OK', reason: null, reason_details: null } }],
  )
  assert.equal((await client.get(`/api/v1/events/${jobId}/e3`)).body.result_label, 'Escalate')
  const { previous_result, result } = await section(jobId, 'e3')
  assert.deepEqual([previous_result, result], ['', 'label_0'])
  assert.equal((await client.post(`/api/v2/events/${jobId}/nobody/reprocess`)).status, 404)
  assert.equal((await client.post(`/api/v2/events/999/e3/reprocess`)).status, 404)
  await client.post(`/api/v2/jobs/${jobId}/stop`)
  const refused = await client.post(`/api/v2/events/${jobId}/e3/reprocess`)
  assert.deepEqual([refused.status, typeof refused.body.error], [409, 'string'])
})

test('many events are decided again by date and filter, and the answer has their number', async () => {
  const { jobId } = await taught()
  const path = `/api/v2/events/${jobId}/reprocess`
  const patient = `${path}?timeout_s=60`
  const first = await client.post(patient, {
    date_field: '@timestamp',
    start_date: '2026-01-12',
    end_date: '2026-01-14',
  })
  assert.equal(first.status, 200)
  assert.deepEqual(first.body.request, { status: 'OK', reason: null, reason_details: null })
  assert.equal(first.body.events_updated, 3)
  for (const id of ['e1', 'e2', 'e4', 'e5']) {
    assert.equal((await client.get(`/api/v1/events/${jobId}/${id}`)).body.result !== '', ['e2', 'e4'].includes(id), id)
  }
  const second = await client.post(patient, {
    date_field: '@timestamp',
    start_date: null,
    filters: [
      { field: 'rule', operator: 'is one of', value: ['alarm'] },
      { field: 'arcanna.previous_result', operator: 'not exists' },
    ],
  })
  assert.equal(second.body.events_updated, 5)
  assert.equal((await client.post(`${path}/`)).body.events_updated, 10)
  const tasks = (await client.get(path)).body
  assert.deepEqual(
    tasks.map((task: any) => [task.status, task.events_updated, task.progress_percent]),
    [
      ['finished', 10, 100],
      ['finished', 5, 100],
      ['finished', 3, 100],
    ],
  )
  const one = await client.get(`${path}/${first.body.task_id}`)
  assert.deepEqual(
    [one.body.task_id, one.body.start_date, one.body.decisions_changed],
    [first.body.task_id, '2026-01-12', 3],
  )
  assert.deepEqual((await client.delete(`${path}/${first.body.task_id}`)).body, one.body)
})

test('a request that does not wait is answered with a task to poll', async () => {
  const { jobId } = await taught()
  const path = `/api/v2/events/${jobId}/reprocess`
  const started = await client.post(`${path}?timeout_s=0`, {})
  assert.equal(started.body.request.status, 'OK')
  assert.equal(typeof started.body.events_updated, 'number')
  const { body } = await eventually(
    () => client.get(`${path}/${started.body.task_id}`),
    (answer) => answer.body.status === 'finished',
  )
  assert.equal(body.events_updated, 10)
})

test('a wrong request for many events is refused with its place, and starts nothing', async () => {
  const { jobId } = await makeJob(client)
  const path = `/api/v2/events/${jobId}/reprocess`
  for (const [body, loc] of [
    [{ start_date: 'yesterday' }, ['body', 'start_date']],
    [{ end_date: [1] }, ['body', 'end_date']],
    [{ date_field: 7 }, ['body', 'date_field']],
    [{ filters: 'x' }, ['body', 'filters']],
    [{ filters: [{ field: 'a', operator: 'like', value: 1 }] }, ['body', 'filters', '0', 'operator']],
    [{ filters: [{ field: 'a', operator: 'is one of', value: {} }] }, ['body', 'filters', '0', 'value']],
  ] as const) {
    const answer = await client.post(path, body)
    assert.equal(answer.status, 422, JSON.stringify(body))
    assert.deepEqual(answer.body.detail[0].loc, loc)
  }
  assert.equal((await client.post(path, '{')).status, 400)
  assert.equal((await client.post(`${path}?timeout_s=soon`)).status, 422)
  assert.equal((await client.post('/api/v2/events/999/reprocess')).status, 404)
  for (const method of ['GET', 'DELETE']) assert.equal((await client.request(method, `${path}/nobody`)).status, 404)
  assert.deepEqual((await client.get(path)).body, [])
  await client.post(`/api/v2/jobs/${jobId}/stop`)
  assert.equal((await client.post(path)).status, 409)
})

test("an agent's notes are kept with the event and are in its export", async () => {
  const { jobId, key } = await makeJob(client)
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
  const path = `/api/v2/events/${jobId}/e/add_agentic_notes`
  const note = {
    agent_notes: 'Known scanner.',
    agent_saved_objects: [{ ip: '192.0.2.9' }],
    workflow_name: 'Triage',
    workflow_id: 12,
    session_id: 's-1',
  }
  const answer = await client.withKey(key).post(path, note)
  assert.deepEqual([answer.status, answer.body], [200, { status: 'OK', reason: null, reason_details: [] }])
  assert.equal((await client.post(path, { agent_notes: 'More.', agent_saved_objects: null })).status, 200)
  const { agentic_notes, log_messages } = await section(jobId, 'e')
  assert.deepEqual(
    agentic_notes.map((each: any) => [each.agent_notes, each.agent_saved_objects, each.workflow_id, each.session_id]),
    [
      ['Known scanner.', [{ ip: '192.0.2.9' }], '12', 's-1'],
      ['More.', null, null, null],
    ],
  )
  assert.ok(log_messages.some((message: any) => message.component === 'Triage' && message.content === 'Known scanner.'))
  const wrong = await client.post(path, { agent_saved_objects: [] })
  assert.deepEqual([wrong.status, wrong.body.detail[0].loc], [422, ['body', 'agent_notes']])
  assert.equal((await client.post(path, { agent_notes: 'x'.repeat(70_000) })).status, 422)
  assert.equal((await client.post(path, '{')).status, 400)
  assert.equal((await client.post(`/api/v2/events/${jobId}/nobody/add_agentic_notes`, note)).status, 404)
  for (let i = 0; i < 98; i++) await client.post(path, { agent_notes: `${i}` })
  assert.equal((await client.post(path, note)).status, 409)
})

test('each operation requires its scope, which the key of a sender may lack', async () => {
  const { jobId, key } = await makeJob(client)
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
  const sender = client.withKey(key)
  const scopes = (await client.get('/api/v2/token/scopes')).body as string[]
  for (const scope of ['execute:reprocess_events', 'write:event_agentic_notes', 'write:event_feedback'])
    assert.ok(scopes.includes(scope))
  assert.equal((await sender.post(`/api/v2/events/${jobId}/e/reprocess`)).status, 403)
  assert.equal((await sender.post(`/api/v2/events/${jobId}/reprocess`)).status, 403)
  assert.equal((await sender.get(`/api/v2/events/${jobId}/reprocess`)).status, 403)
  assert.equal((await client.post(`/api/v2/events/${jobId}/e/reprocess`, undefined, { key: null })).status, 401)
})

test('health and jobs of the management API', async () => {
  assert.deepEqual((await client.get('/api/v2/health')).body, { status: 'OK', reason: null, reason_details: null })
  const { jobId, key } = await makeJob(client)
  const other = await makeJob(client, { pipeline_integrations: [] })
  const all = (await client.get('/api/v2/jobs')).body as { job_id: number }[]
  assert.ok([jobId, other.jobId].every((id) => all.some((job) => job.job_id === id)))
  assert.deepEqual(
    (await client.withKey(key).get('/api/v2/jobs/')).body.map((job: any) => job.job_id),
    [jobId],
  )
  assert.deepEqual((await client.get(`/api/v2/jobs/${jobId}`)).body, (await client.get(`/api/v1/jobs/${jobId}`)).body)
  assert.equal((await client.get('/api/v2/jobs/999')).status, 404)
})
