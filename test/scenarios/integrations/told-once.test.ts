/**
 * What tickets, chats, webhooks and streams are told, they are told once: also where an answer gets lost, where events
 * are deleted before they were told, and where a query decides many again.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { trainAgain, trainedJob, vote } from '../../support/http/trained-job.js'
import { ofType, openStream } from '../../support/live/sse.js'
import { CaseServer } from '../../support/servers/case-servers.js'
import { HttpReceiver, status, type Answering } from '../../support/servers/receiver.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService({ privateHosts: ['127.0.0.1'] })
  client = service.client
})
after(() => service.close())

let made = 0

interface StepSetup {
  readonly type: string
  readonly role: string
  readonly connection: object
  readonly parameters?: object
}

/** Adds a step to a job, and returns the name of its integration. */
async function addStep(jobId: number, { type, role, connection, parameters = {} }: StepSetup): Promise<string> {
  const name = `${type} ${++made}`
  const { title } = (await client.get(`/api/v1/jobs/${jobId}`)).body
  const answer = await client.post('/api/v2/resources', {
    one: { type: 'integration', properties: { title: name, integration_type: type, parameters: connection } },
    job: {
      type: 'job',
      properties: {
        title,
        pipeline_integrations: [{ resource: 'one', integration_type: role, enabled: true, parameters }],
      },
    },
  })
  assert.equal(answer.status, 200, answer.text)
  return name
}

async function step(name: string): Promise<any> {
  const { body } = await client.get('/api/v2/integrations/deliveries')
  return body.find((one: any) => one.integration_title === name) ?? {}
}

const delivered = (name: string, count: number): Promise<any> =>
  eventually(
    () => step(name),
    (one) => one.delivered_count === count,
  )

const ids = (count: number, prefix = 'e'): string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

async function send(jobId: number, names: readonly string[], rule: string): Promise<void> {
  const lines = names.map((id) => JSON.stringify({ job_id: jobId, event_id: id, raw_body: { rule } }))
  const answers = await client.bulk(lines.join('\n'))
  assert.equal(answers.filter(({ event_id }) => event_id !== undefined).length, names.length)
}

const noise = { filters: [{ field: 'rule', operator: 'is', value: 'noise' }] }

async function decideAgain(jobId: number): Promise<any> {
  const answer = await client.post(`/api/v2/events/${jobId}/reprocess?timeout_s=60`, noise)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** Everybody says now that the noise is a threat, and the model learns it. */
async function changeMinds(jobId: number): Promise<void> {
  for (let i = 1; i < 24; i += 2) await vote(client, jobId, `t${i}`, 'Escalate')
  // Some other noise, so that two labels are left.
  await send(jobId, ids(6, 'dull'), 'dull')
  for (const id of ids(6, 'dull')) await vote(client, jobId, id, 'Drop')
  await trainAgain(client, jobId)
}

/** Takes what arrives, and cuts the connection before the answer, so many times. */
function losing(times: number, answer: Answering): Answering {
  let left = times
  return (received, response) => {
    if (left-- > 0) response.destroy()
    else answer(received, response)
  }
}

test('a ticket of a bucket tells once that its events are decided otherwise, however many there are', async () => {
  const server = await CaseServer.open('thehive')
  const jobId = await trainedJob(client, { decision_points: ['rule'] })
  const name = await addStep(jobId, {
    type: 'TheHive',
    role: 'case_creation',
    connection: server.connection,
    parameters: { comment_repeats: false },
  })
  await send(jobId, ids(30), 'noise')
  await delivered(name, 30)
  assert.deepEqual([server.cases.length, server.cases[0]!.notes], [1, []])
  await changeMinds(jobId)
  const first = await decideAgain(jobId)
  assert.ok(first.events_updated >= 30)
  await eventually(
    async () => server.cases[0]!.notes.length,
    (count) => count > 0,
  )
  const again = await decideAgain(jobId)
  assert.equal(again.events_updated, first.events_updated)
  // What comes after them is delivered after them.
  await send(jobId, ['last'], 'other')
  await eventually(
    async () => server.cases.length,
    (count) => count === 2,
  )
  assert.equal(server.cases[0]!.notes.length, 1)
  assert.match(server.cases[0]!.notes[0]!, /^The decision is now Escalate \(/)
  await server.close()
})

test('a change of many events is posted once for each; a lost answer repeats it under the same id', async () => {
  const receiver = await HttpReceiver.open()
  const jobId = await trainedJob(client, { decision_points: ['rule'] })
  const name = await addStep(jobId, {
    type: 'Webhook',
    role: 'post_decision',
    connection: { url: receiver.url, secret: 'a secret' },
  })
  await send(jobId, ids(20), 'noise')
  await delivered(name, 20)
  await changeMinds(jobId)
  receiver.received.length = 0
  receiver.answer = losing(3, status(200))
  await decideAgain(jobId)
  await decideAgain(jobId)
  await send(jobId, ['last'], 'noise')
  const all = await eventually(
    async () => receiver.received.map(({ body, headers }) => ({ ...JSON.parse(body), header: headers['webhook-id'] })),
    (bodies) => bodies.some(({ data }) => data.event_id === 'last'),
  )
  const changes = all.filter(({ type, data }) => type === 'event.decided_again' && data.event_id.startsWith('e'))
  assert.deepEqual([...new Set(changes.map(({ data }) => data.event_id))].sort(), ids(20).sort())
  // Repetitions have the id of what they repeat.
  assert.equal(new Set(changes.map(({ id }) => id)).size, 20)
  assert.ok(all.every(({ id, header }) => id === header))
  assert.ok(changes.every(({ data }) => data.result_label === 'Escalate'))
  await receiver.close()
})

test('events that are deleted while a receiver is away are not told to it, and the others are, each once', async () => {
  const receiver = await HttpReceiver.open()
  receiver.answer = status(503)
  const { jobId } = await makeJob(client, { decision_points: ['rule'] })
  const name = await addStep(jobId, {
    type: 'Webhook',
    role: 'post_decision',
    connection: { url: receiver.url, secret: 'a secret' },
    parameters: { include_undecided: true },
  })
  for (let part = 0; part < 10; part++) await send(jobId, ids(5, `p${part}-`), part % 2 === 0 ? 'noise' : 'threat')
  await eventually(
    async () => receiver.received.length,
    (count) => count > 0,
  )
  const erased = await client.post(`/api/v2/events/${jobId}/delete`, noise)
  assert.equal(erased.body.events_deleted, 25, erased.text)
  receiver.received.length = 0
  receiver.answer = status(200)
  await delivered(name, 25)
  const told = receiver.bodies().map(({ data }) => data.event_id)
  const left = [1, 3, 5, 7, 9].flatMap((part) => ids(5, `p${part}-`))
  assert.deepEqual([...new Set(told)].sort(), left.sort())
  assert.equal((await client.get(`/api/v2/integrations/failed_deliveries?job_id=${jobId}`)).body.total_count, 0)
  await receiver.close()
})

test('events deleted while a query decides them again stay deleted, and streams tell each change once', async () => {
  const jobId = await trainedJob(client, { decision_points: ['rule'] })
  const count = 3_000
  await send(jobId, ids(count), 'noise')
  await send(jobId, ids(50, 'kept'), 'noise')
  await changeMinds(jobId)
  const stream = await openStream(client, `?job_id=${jobId}&types=decision`)
  await stream.until((messages) => messages.length > 0)
  const place = stream.lastId()
  const path = `/api/v2/events/${jobId}/reprocess`
  const started = await Promise.all([
    client.post(`${path}?timeout_s=0`, noise),
    client.post(`${path}?timeout_s=0`, noise),
  ])
  const erased = await client.post(`/api/v2/events/${jobId}/delete`, {
    filters: [{ field: '_id', operator: 'starts with', value: 'e' }],
  })
  assert.equal(erased.body.events_deleted, count, erased.text)
  for (const { body } of started) {
    const { body: task } = await eventually(
      () => client.get(`${path}/${body.task_id}`),
      ({ body: now }) => now.status === 'finished',
    )
    assert.equal(task.progress_percent, 100)
  }
  const found = await client.post('/api/v2/events/query', { job_ids: [jobId], ...noise, size: 5_000 })
  const left = found.body.events.map(({ event_id }: any) => event_id)
  assert.ok(left.every((id: string) => !ids(count).includes(id)))
  assert.equal(left.filter((id: string) => id.startsWith('kept')).length, 50)
  assert.equal((await client.get(`/api/v1/events/${jobId}/e7`)).status, 404)
  const isTold = (messages: readonly any[]): boolean =>
    ids(50, 'kept').every((id) => ofType(messages, 'decision').some(({ data }) => data.event_id === id))
  const messages = await stream.until(isTold)
  assert.equal(new Set(messages.map(({ id }) => id)).size, messages.length)
  stream.close()
  // Whoever was away is told of what is there.
  const later = await openStream(client, `?job_id=${jobId}&types=decision&last_event_id=${place}`)
  const after = ofType(await later.until(isTold), 'decision')
  assert.deepEqual(
    after.filter(({ data }) => data.event_id.startsWith('e')),
    [],
  )
  const kept = after.filter(({ data }) => data.event_id.startsWith('kept'))
  assert.equal(kept.length, 50)
  assert.ok(kept.every(({ data }) => data.result_label === 'Escalate'))
  later.close()
})

test('a watchdog is told once to each; a lost answer repeats it under the same id, and its page is there', async () => {
  const receiver = await HttpReceiver.open()
  receiver.answer = losing(2, status(200))
  const { jobId } = await makeJob(client, { decision_points: ['rule'] })
  const name = await addStep(jobId, {
    type: 'Webhook',
    role: 'post_decision',
    connection: { url: receiver.url, secret: 'a secret' },
  })
  const watchdogs = '/api/monitoring/api/v1/watchdogs'
  const answer = await client.post(watchdogs, {
    title: 'Memory',
    type: 'memory',
    condition: 'resident_bytes',
    threshold: 1,
    for_seconds: 0,
    integrations: [name],
  })
  assert.equal(answer.status, 201, answer.text)
  const all = await eventually(
    async () => receiver.received.map(({ body, headers }) => ({ ...JSON.parse(body), header: headers['webhook-id'] })),
    (bodies) => bodies.length === 3,
    60_000,
  )
  assert.deepEqual([...new Set(all.map(({ type }) => type))], ['watchdog.firing'])
  assert.equal(new Set(all.flatMap(({ id, header }) => [id, header])).size, 1)
  const page = await client.get(all[0]!.data.page)
  assert.deepEqual([all[0]!.data.page, page.status], ['/operations', 200])
  assert.equal((await client.delete(`${watchdogs}/${answer.body.watchdog_id}`)).status, 200)
  await eventually(
    async () => receiver.bodies().filter(({ type }) => type === 'watchdog.resolved').length,
    (count) => count === 1,
  )
  await receiver.close()
})
