/** Outgoing decisions over a real port: steps are set up, events delivered, failures kept and sent again. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { freePort } from '../../support/servers/free-port.js'
import { HttpReceiver, status } from '../../support/servers/receiver.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService({ privateHosts: ['127.0.0.1'] })
  client = service.client
})
after(() => service.close())

let made = 0

/** Adds a webhook to a job. */
async function addWebhook(
  title: string,
  url: string,
  parameters: object = { include_undecided: true },
  secret = 'a secret',
): Promise<string> {
  const name = `Webhook ${++made}`
  const answer = await client.post('/api/v2/resources', {
    hook: {
      type: 'integration',
      properties: { title: name, integration_type: 'Webhook', parameters: { url, secret } },
    },
    job: {
      type: 'job',
      properties: {
        title,
        pipeline_integrations: [{ resource: 'hook', integration_type: 'post_decision', enabled: true, parameters }],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  return name
}

async function delivery(name: string): Promise<any> {
  const { body } = await client.get('/api/v2/integrations/deliveries')
  return (Array.isArray(body) ? body : []).find((one: any) => one.integration_title === name) ?? {}
}

async function post(jobId: number, id: string, rawBody: object = { rule: 'a' }): Promise<void> {
  assert.equal((await client.post(`/api/v1/events/${id}`, { job_id: jobId, raw_body: rawBody })).status, 201)
}

test('a request right behind the one that made the first step already sees the step', async () => {
  const { title } = await makeJob(client)
  const name = await addWebhook(title, 'http://127.0.0.1:9')
  const { status, text } = await client.get('/api/v2/integrations/deliveries')
  assert.equal(status, 200, text)
  assert.ok(text.includes(name))
})

test('a decision is posted, signed, with its event; an event from before the step is not', async () => {
  const receiver = await HttpReceiver.open()
  const { jobId, title } = await makeJob(client)
  await post(jobId, 'before')
  const name = await addWebhook(title, `${receiver.url}/hook`)
  await post(jobId, 'one', { rule: 'a', user: { name: 'ann' } })
  await eventually(
    async () => receiver.received.length,
    (count) => count === 1,
  )
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]]
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', 'a secret').update(signed).digest('base64')}`)
  const { type, data } = JSON.parse(body)
  assert.deepEqual([type, data.event_id, data.job_id, data.event.user.name], ['event.decided', 'one', jobId, 'ann'])
  assert.equal(data.event.service.inference_status, 'finished')
  assert.deepEqual(
    (
      await eventually(
        () => delivery(name),
        (one) => one.delivered_count === 1,
      )
    ).status,
    'running',
  )
  await receiver.close()
})

test('an event that is refused is kept, listed, and sent again', async () => {
  const receiver = await HttpReceiver.open()
  const { jobId, title } = await makeJob(client)
  const name = await addWebhook(title, receiver.url)
  // By its id: the three letters may be part of any hexadecimal id in a body.
  receiver.answer = ({ body }, response) =>
    void response.writeHead(JSON.parse(body).data.event_id === 'bad' ? 400 : 200).end('no such thing')
  for (const id of ['good1', 'bad', 'good2']) await post(jobId, id)
  const path = `/api/v2/integrations/failed_deliveries?job_id=${jobId}`
  const { body } = await eventually(
    () => client.get(path),
    (answer) => answer.body.total_count === 1,
  )
  const [deadLetter] = body.failed_deliveries
  assert.deepEqual(
    [deadLetter.event_id, deadLetter.status, deadLetter.reason],
    ['bad', 'dead', 'HTTP 400: no such thing'],
  )
  receiver.answer = status(200)
  assert.equal((await client.post('/api/v2/integrations/failed_deliveries/retry', { id: 'nothing' })).status, 404)
  assert.deepEqual((await client.post('/api/v2/integrations/failed_deliveries/retry', { id: deadLetter.id })).body, {
    status: 'OK',
    count: 1,
    resumed_steps: 0,
  })
  await eventually(
    () => delivery(name),
    (one) => one.delivered_count === 3,
  )
  assert.equal((await client.get(path)).body.total_count, 0)
  assert.equal(receiver.bodies().filter(({ data }) => data.event_id === 'bad').length, 2)
  await receiver.close()
})

test('a failed delivery is erased with its event', async () => {
  const receiver = await HttpReceiver.open()
  const { jobId, title } = await makeJob(client)
  await addWebhook(title, receiver.url)
  receiver.answer = status(400)
  for (const [id, rule] of [
    ['one', 'a'],
    ['two', 'b'],
  ] as const)
    await post(jobId, id, { rule })
  const failed = () => client.get(`/api/v2/integrations/failed_deliveries?job_id=${jobId}`)
  await eventually(failed, ({ body }) => body.total_count === 2)
  const { body } = await client.post(`/api/v2/events/${jobId}/delete`, {
    filters: [{ field: 'rule', operator: 'is', value: 'a' }],
  })
  assert.equal(body.events_deleted, 1)
  assert.deepEqual(
    (await failed()).body.failed_deliveries.map((one: any) => one.event_id),
    ['two'],
  )
  await receiver.close()
})

test('a counterpart that is unreachable causes a delay and no loss', async () => {
  const port = await freePort()
  const { jobId, title } = await makeJob(client)
  const name = await addWebhook(title, `http://127.0.0.1:${port}`)
  for (let i = 0; i < 20; i++) await post(jobId, `e${i}`)
  const { reason } = await eventually(
    () => delivery(name),
    (one) => one.status !== 'running',
  )
  assert.match(reason, /ECONNREFUSED/)
  const back = await HttpReceiver.open(port)
  await eventually(
    () => delivery(name),
    (one) => one.delivered_count === 20,
  )
  assert.equal(new Set(back.bodies().map(({ data }) => data.event_id)).size, 20)
  await back.close()
})

test('a decision made again is delivered again; a stopped job delivers nothing until it starts', async () => {
  const receiver = await HttpReceiver.open()
  // The first model would decide the events by itself, and steps are not told of that.
  const advanced_settings = { decide_stored_events: false }
  const { jobId, title } = await makeJob(client, { decision_points: ['rule'], advanced_settings })
  await addWebhook(title, receiver.url)
  await post(jobId, 'a', { rule: 'a' })
  await post(jobId, 'b', { rule: 'b' })
  await client.put(`/api/v1/events/${jobId}/a/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  await client.put(`/api/v1/events/${jobId}/b/feedback`, { cortex_user: 'ann', feedback: 'Escalate' })
  await client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
  )
  await client.post(`/api/v2/events/${jobId}/a/reprocess`)
  await eventually(
    async () => receiver.bodies().length,
    (count) => count === 3,
  )
  const again = receiver.bodies()[2]
  assert.deepEqual([again.type, again.data.event_id, again.data.result_label], ['event.decided_again', 'a', 'Drop'])
  await client.post(`/api/v2/jobs/${jobId}/stop`)
  await post(jobId, 'c', { rule: 'b' })
  await client.post(`/api/v2/jobs/${jobId}/start`)
  await eventually(
    async () => receiver.bodies().length,
    (count) => count === 4,
  )
  const held = receiver.bodies()[3]
  assert.deepEqual([held.type, held.data.event_id, held.data.result_label], ['event.decided', 'c', 'Escalate'])
  await receiver.close()
})

/** A job that answers `Drop` where rule is a, `Escalate` where it is b. */
async function makeTrainedJob(): Promise<{ jobId: number; title: string }> {
  const advanced_settings = { decide_stored_events: false }
  const made = await makeJob(client, { decision_points: ['rule'], advanced_settings })
  for (const [id, rule, feedback] of [
    ['a', 'a', 'Drop'],
    ['b', 'b', 'Escalate'],
  ] as const) {
    await post(made.jobId, id, { rule })
    await client.put(`/api/v1/events/${made.jobId}/${id}/feedback`, { cortex_user: 'ann', feedback })
  }
  await train(made.jobId)
  return made
}

async function train(jobId: number): Promise<void> {
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
  )
}

test('a change during an outage is delivered, even if the event was decided once more, with the same decision', async () => {
  const receiver = await HttpReceiver.open()
  const { jobId, title } = await makeTrainedJob()
  const name = await addWebhook(title, receiver.url, {})
  receiver.answer = status(503)
  await post(jobId, 'held', { rule: 'b' })
  await eventually(
    () => delivery(name),
    (one) => one.status !== 'running',
  )
  // Decided for the first time before the training: without a label.
  for (let i = 0; i < 2; i++) assert.equal((await client.post(`/api/v2/events/${jobId}/a/reprocess`)).status, 200)
  receiver.received.length = 0
  receiver.answer = status(200)
  const told = () => receiver.bodies().map(({ data }) => `${data.event_id} ${data.result_label}`)
  await eventually(
    async () => told(),
    (all) => all.includes('a Drop'),
  )
  assert.deepEqual([...new Set(told())], ['held Escalate', 'a Drop'])
  await receiver.close()
})

test('a decision made again is delivered if only now it passes the rule, even with the same label; then no more', async () => {
  const receiver = await HttpReceiver.open()
  const { jobId, title } = await makeTrainedJob()
  await post(jobId, 'c', { rule: 'c' })
  const at = async () => (await client.get(`/api/v1/events/${jobId}/c`)).body
  const unsure = await at()
  await addWebhook(title, receiver.url, { min_confidence: unsure.confidence_score + 1 })
  for (const user of ['ann', 'bob', 'eve']) {
    await client.put(`/api/v1/events/${jobId}/c/feedback`, { cortex_user: user, feedback: unsure.result_label })
  }
  await train(jobId)
  await client.post(`/api/v2/events/${jobId}/c/reprocess`)
  const sure = await at()
  assert.ok(sure.result_label === unsure.result_label && sure.confidence_score > unsure.confidence_score + 1)
  await eventually(
    async () => receiver.bodies().length,
    (count) => count === 1,
  )
  await client.post(`/api/v2/events/${jobId}/c/reprocess`)
  await post(jobId, 'd', { rule: 'b' })
  await eventually(
    async () => receiver.bodies().length,
    (count) => count > 1,
  )
  assert.deepEqual(
    receiver.bodies().map(({ data }) => data.event_id),
    ['c', 'd'],
  )
  await receiver.close()
})

test('a step delivers only what its rule names', async () => {
  const receiver = await HttpReceiver.open()
  const { jobId, title } = await makeJob(client)
  const filters = JSON.stringify([{ field: 'rule', operator: 'is', value: 'wanted' }])
  await addWebhook(title, receiver.url, { include_undecided: true, filters })
  await post(jobId, 'no', { rule: 'other' })
  await post(jobId, 'yes', { rule: 'wanted' })
  await eventually(
    async () => receiver.bodies().length,
    (count) => count === 1,
  )
  assert.equal(receiver.bodies()[0].data.event_id, 'yes')
  await receiver.close()
})

test('parameters that do not fit are refused with their place; secrets are never shown', async () => {
  const answer = await client.post('/api/v2/resources', {
    hook: {
      type: 'integration',
      properties: { title: 'Wrong', integration_type: 'Webhook', parameters: { url: 'ftp://x' } },
    },
  })
  assert.equal(answer.status, 422)
  assert.match(answer.body.detail[0].msg, /URL/)
  const shown = await client.get('/api/v2/resources?resource_type=integration')
  assert.ok(shown.text.includes('Webhook 1') && !shown.text.includes('a secret'))
})
