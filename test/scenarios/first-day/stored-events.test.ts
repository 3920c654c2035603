/** The first model decides what was stored before it, without anybody asking for it (C4.7). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { HttpReceiver } from '../../support/servers/receiver.js'
import { startService, type TestService } from '../../support/service.js'
import { until } from '../../support/until.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService({ privateHosts: ['127.0.0.1'] })
  client = service.client
})
after(() => service.close())

const rawBody = (i: number): object => (i % 10 === 9 ? { other: i } : { rule: i % 2 === 0 ? 'noise' : 'alarm', i })

/** Stores events before there is a model: every tenth has no value at the decision point. */
async function store(jobId: number, count: number, from = 0): Promise<void> {
  const lines = Array.from({ length: count }, (_, i) =>
    JSON.stringify({ job_id: jobId, event_id: `e${from + i}`, raw_body: rawBody(from + i) }),
  )
  assert.equal((await client.bulk(lines.join('\n'))).length, count)
}

async function train(jobId: number): Promise<void> {
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
}

async function teach(jobId: number): Promise<void> {
  await client.put(`/api/v1/events/${jobId}/e0/feedback`, { feedback: 'Drop' })
  await client.put(`/api/v1/events/${jobId}/e1/feedback`, { feedback: 'Escalate' })
  await train(jobId)
}

const tasks = async (jobId: number): Promise<any[]> =>
  (await client.get(`/api/v2/events/${jobId}/reprocess`)).body as any[]

/** The tasks, the newest first, once all of them are over. */
async function tasksOver(jobId: number): Promise<any[]> {
  await eventually(
    () => client.get(`/api/v2/events/${jobId}/reprocess`),
    ({ body }) => (body as any[]).every(({ status }) => status === 'finished'),
    30_000,
  )
  return await tasks(jobId)
}

const labelOf = async (jobId: number, id: string): Promise<string> =>
  (await client.get(`/api/v1/events/${jobId}/${id}`)).body.result_label

test('events that came before the first model are decided by it, and the task says for how many', async () => {
  const { jobId } = await makeJob(client, { decision_points: ['rule'] })
  await store(jobId, 100)
  assert.equal(await labelOf(jobId, 'e4'), '')
  await teach(jobId)
  const [task, ...others] = await tasksOver(jobId)
  assert.deepEqual(others, [])
  assert.deepEqual(
    [task.events_matched, task.events_updated, task.decisions_changed, task.requested_by],
    [100, 90, 90, 'service'],
  )
  assert.equal(task.message, 'events that were stored before the job had a model')
  assert.deepEqual(await Promise.all(['e4', 'e5', 'e9'].map((id) => labelOf(jobId, id))), ['Drop', 'Escalate', ''])
  const { body } = await client.get(`/api/v1/events/${jobId}/e5/export`)
  assert.equal(body.service_event.service.previous_result, '')
})

test('decisions that were made stay: later trainings decide only what has no decision', async () => {
  const { jobId } = await makeJob(client, { decision_points: ['rule'] })
  await store(jobId, 20)
  await teach(jobId)
  assert.equal((await tasksOver(jobId)).length, 1)
  const before = await labelOf(jobId, 'e4')
  for (const id of ['e0', 'e2', 'e6'])
    await client.put(`/api/v1/events/${jobId}/${id}/feedback`, { feedback: 'Investigate' })
  await train(jobId)
  assert.equal((await tasksOver(jobId)).length, 1, 'there was nothing to decide')
  assert.equal(await labelOf(jobId, 'e4'), before)
})

test('a job whose decision points change, and that is trained again, decides what came in between', async () => {
  const { jobId, title } = await makeJob(client, { decision_points: ['rule'] })
  await store(jobId, 20)
  await teach(jobId)
  await tasksOver(jobId)
  const job = { type: 'job', properties: { title, decision_points: ['rule', 'i'] } }
  assert.equal((await client.post('/api/v2/resources', { resources: { job } })).status, 200)
  await store(jobId, 10, 20)
  assert.equal(await labelOf(jobId, 'e24'), '')
  await train(jobId)
  const [task] = await tasksOver(jobId)
  assert.equal(await labelOf(jobId, 'e24'), 'Drop')
  assert.ok(task.events_updated <= 12, 'those with a decision stay as they are')
})

test('with decide_stored_events: false nothing is decided again unless somebody asks for it', async () => {
  const { jobId } = await makeJob(client, {
    decision_points: ['rule'],
    advanced_settings: { decide_stored_events: false },
  })
  await store(jobId, 20)
  await teach(jobId)
  assert.deepEqual(await tasks(jobId), [])
  assert.equal(await labelOf(jobId, 'e4'), '')
  const filters = [{ field: 'service.result', operator: 'not exists' }]
  assert.equal((await client.post(`/api/v2/events/${jobId}/reprocess`, { filters })).body.events_updated, 20)
  assert.equal(await labelOf(jobId, 'e4'), 'Drop')
})

test('historic events with labels are decided by the model that was trained on them', async () => {
  const { jobId } = await makeJob(client, { decision_points: ['rule'] })
  const events = Array.from({ length: 40 }, (_, i) => ({
    job_id: jobId,
    raw_body: rawBody(i % 8),
    ...(i < 20 ? { label: { feedback: i % 2 === 0 ? 'Drop' : 'Escalate' } } : {}),
  }))
  assert.equal((await client.post(`/api/v1/bulk/${jobId}`, { count: events.length, events })).status, 201)
  await train(jobId)
  const [task] = await tasksOver(jobId)
  assert.deepEqual([task.events_matched, task.events_updated], [40, 40])
})

test('outputs are not told of them: they may be many, and old', async () => {
  const receiver = await HttpReceiver.open()
  const { jobId, title } = await makeJob(client, { decision_points: ['rule'] })
  const hook = {
    type: 'integration',
    properties: {
      title: `Out of ${jobId}`,
      integration_type: 'Webhook',
      parameters: { url: receiver.url, secret: 'a secret' },
    },
  }
  const steps = [{ resource: 'hook', integration_type: 'post_decision', enabled: true }]
  const job = { type: 'job', properties: { title, pipeline_integrations: steps } }
  assert.equal((await client.post('/api/v2/resources', { hook, job })).status, 200)
  await store(jobId, 20)
  await teach(jobId)
  await tasksOver(jobId)
  assert.equal(await labelOf(jobId, 'e4'), 'Drop')
  await client.post('/api/v1/events/late', { job_id: jobId, raw_body: rawBody(0) })
  await until(() => receiver.received.length > 0)
  assert.deepEqual(
    receiver.bodies().map(({ data }) => data.event_id),
    ['late'],
  )
  await receiver.close()
})
