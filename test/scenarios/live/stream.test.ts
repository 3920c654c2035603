/** The stream of decisions, votes, trainings and clusters over HTTP. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Compile } from 'typebox/schema'
import { StreamMessage } from '../../../server/schemas/live/stream.js'
import { createClient } from '../../../server/client/index.js'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { MANAGEMENT_KEY, startService, type TestService } from '../../support/service.js'
import { ofType, openStream, type Streamed } from '../../support/live/sse.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

/** Stored events are decided again when a test asks for it, and not by the first model. */
const points = { decision_points: ['rule'], advanced_settings: { decide_stored_events: false } }

function bodies(jobId: number, from: number, count: number): string {
  return Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      job_id: jobId,
      event_id: `e${from + n}`,
      title: `T${from + n}`,
      raw_body: { rule: `r${(from + n) % 4}` },
    }),
  ).join('\n')
}

function idsOf(messages: readonly Streamed[]): string[] {
  return ofType(messages, 'decision').map(({ data }) => data.event_id)
}

function numbered(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `e${from + n}`)
}

async function train(jobId: number): Promise<void> {
  await client.put(`/api/v1/events/${jobId}/e0/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  await client.put(`/api/v1/events/${jobId}/e1/feedback`, { cortex_user: 'bob', feedback: 'Escalate' })
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
  )
}

test('decisions, votes and trainings come as they happen, each as its schema says', async () => {
  const { jobId } = await makeJob(client, points)
  const stream = await openStream(client, `?job_id=${jobId}`)
  assert.equal(stream.response.headers['content-type'], 'text/event-stream')
  await stream.until((messages) => messages.length === 1)
  assert.deepEqual([stream.messages[0]!.type, stream.messages[0]!.data], ['ready', { jobs: [jobId] }])
  await client.bulk(bodies(jobId, 0, 8))
  await stream.until((all) => idsOf(all).length === 8)
  await train(jobId)
  const messages = await stream.until((all) => ofType(all, 'training').length === 2 && ofType(all, 'vote').length === 2)
  assert.deepEqual(idsOf(messages), numbered(0, 8))
  assert.equal(ofType(messages, 'decision')[3]!.data.title, 'T3')
  assert.deepEqual(
    ofType(messages, 'vote').map(({ data }) => [data.event_id, data.analyst, data.label, data.consensus]),
    [
      ['e0', 'ann', 'Drop', 'Drop'],
      ['e1', 'bob', 'Escalate', 'Escalate'],
    ],
  )
  assert.deepEqual(
    ofType(messages, 'training').map(({ data }) => data.state),
    ['requested', 'finished'],
  )
  const schema = Compile(StreamMessage)
  for (const message of messages) assert.ok(schema.Check(message), JSON.stringify(message))
  await client.bulk(bodies(jobId, 8, 1))
  const [decided] = (await stream.until((all) => idsOf(all).includes('e8'))).slice(-1)
  assert.deepEqual([decided!.data.result_label, decided!.data.reason], ['Drop', 'decided'])
  stream.close()
})

test('a stream goes on behind any message: none is lost, none comes twice', async () => {
  const { jobId } = await makeJob(client, points)
  const stream = await openStream(client, `?job_id=${jobId}`)
  await stream.until((messages) => messages.length === 1)
  await client.bulk(bodies(jobId, 0, 40))
  // An event that is decided again before it was read is told of once: wait until all were read.
  await stream.until((messages) => idsOf(messages).length === 40)
  await train(jobId)
  assert.equal((await client.post(`/api/v2/events/${jobId}/reprocess`, {})).status, 200)
  const all = await stream.until(
    (messages) => ofType(messages, 'decision').filter(({ data }) => data.reason === 'decided_again').length === 40,
  )
  stream.close()
  for (const at of [0, 7, 39, all.length - 2]) {
    // An event that was not read before it was decided again is told of once, as it stands.
    const before = all.slice(0, at + 1)
    const seen = new Set(idsOf(before))
    const expected = numbered(0, 40).filter((id) => !seen.has(id)).length
    const changed = ofType(all.slice(at + 1), 'decision').filter(
      ({ data }) => data.reason === 'decided_again' && seen.has(data.event_id),
    )
    const wanted = expected + changed.length + ofType(all.slice(at + 1), 'vote').length
    const again = await openStream(client, `?job_id=${jobId}`, { 'last-event-id': all[at]!.id })
    const rest = await again.until(
      (messages) => messages.filter(({ type }) => type !== 'training').length >= wanted && again.lastId() !== '',
    )
    await new Promise((resolve) => setTimeout(resolve, 100))
    const got = rest.filter(({ type }) => type !== 'training')
    assert.equal(got.length, wanted, `from ${at}`)
    const decided = ofType(rest, 'decision').map(({ data }) => `${data.event_id} ${data.reason}`)
    assert.equal(new Set(decided).size, decided.length)
    again.close()
  }
})

test('what happens while nobody listens is there afterwards, and a stopped job decides its events later', async () => {
  const { jobId } = await makeJob(client, points)
  const stream = await openStream(client, `?job_id=${jobId}&types=decision`)
  await stream.until((messages) => messages.length === 1)
  await client.bulk(bodies(jobId, 0, 3))
  await stream.until((messages) => idsOf(messages).length === 3)
  await client.post(`/api/v2/jobs/${jobId}/stop`)
  await client.bulk(bodies(jobId, 3, 3))
  const [place] = (await stream.until((messages) => messages.length >= 4)).slice(-1)
  stream.close()
  await client.post(`/api/v2/jobs/${jobId}/start`)
  await client.bulk(bodies(jobId, 6, 2))
  const again = await openStream(client, `?job_id=${jobId}&types=decision&last_event_id=${place!.id}`)
  const ids = idsOf(await again.until((messages) => idsOf(messages).length >= 5))
  assert.deepEqual([...ids].sort(), numbered(3, 5))
  again.close()
})

test('filters and types select, and jobs that were made later are part of a stream of all', async () => {
  const { jobId } = await makeJob(client, points)
  const filters = encodeURIComponent(JSON.stringify([{ field: 'rule', operator: 'is', value: 'r1' }]))
  const filtered = await openStream(client, `?job_id=${jobId}&types=decision,vote&filters=${filters}`)
  const everything = await openStream(client)
  await Promise.all([filtered, everything].map((each) => each.until((messages) => messages.length === 1)))
  await client.bulk(bodies(jobId, 0, 8))
  await client.put(`/api/v1/events/${jobId}/e0/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  await client.put(`/api/v1/events/${jobId}/e1/feedback`, { cortex_user: 'bob', feedback: 'Escalate' })
  const messages = await filtered.until((all) => ofType(all, 'vote').length === 1)
  assert.deepEqual(idsOf(messages), ['e1', 'e5'])
  assert.equal(ofType(messages, 'vote')[0]!.data.event_id, 'e1')
  const later = await makeJob(client, points)
  await client.bulk(bodies(later.jobId, 0, 2))
  const all = await everything.until((each) =>
    each.some(({ data }) => data.job_id === later.jobId && data.event_id === 'e1'),
  )
  assert.equal(all.filter(({ data }) => data.job_id === later.jobId).length, 2)
  filtered.close()
  everything.close()
})

test('alerts of a root cause job come with the cluster that they came into', async () => {
  const { jobId } = await makeJob(client, {
    category: 'Automated root cause analysis',
    decision_points: ['kind'],
  })
  const stream = await openStream(client, `?job_id=${jobId}&types=cluster,decision`)
  await stream.until((messages) => messages.length === 1)
  const alerts = Array.from({ length: 4 }, (_, n) => ({
    job_id: jobId,
    event_id: `a${n}`,
    raw_body: { timestamp: `2026-01-10T10:00:0${n}Z`, host: 'web-1', kind: n === 0 ? 'link down' : 'unreachable' },
  }))
  await client.bulk(alerts.map((alert) => JSON.stringify(alert)).join('\n'))
  const messages = await stream.until((all) => ofType(all, 'cluster').length === 4)
  assert.deepEqual(
    ofType(messages, 'cluster').map(({ data }) => data.event_id),
    ['a0', 'a1', 'a2', 'a3'],
  )
  assert.ok(ofType(messages, 'cluster').every(({ data }) => data.cluster.size >= 1))
  stream.close()
  const first = ofType(messages, 'decision')[0]!
  const again = await openStream(client, `?job_id=${jobId}&types=cluster,decision`, { 'last-event-id': first.id })
  const rest = await again.until((all) => all.length === 7)
  assert.deepEqual([rest[0]!.type, rest[0]!.data.event_id], ['cluster', 'a0'])
  again.close()
})

test('a wrong query, an unknown job and a key without the scope are refused with a sentence', async () => {
  const { jobId, key } = await makeJob(client, points)
  const path = '/api/v2/events/stream'
  assert.equal((await client.get(`${path}?job_id=99999`)).status, 404)
  assert.equal((await client.get(`${path}?jobs=1`)).status, 422)
  assert.equal((await client.get(`${path}?types=votes`)).status, 422)
  assert.equal((await client.get(`${path}?filters=x`)).status, 422)
  const cursor = await client.get(`${path}?job_id=${jobId}`, { headers: { 'last-event-id': 'no place' } })
  assert.deepEqual([cursor.status, cursor.body.detail[0].type], [422, 'invalid_cursor'])
  assert.equal((await client.withKey(key).get(path)).status, 403)
  assert.equal((await client.get(path, { key: null })).status, 401)
})

test('the client follows the stream, and goes on where a connection broke off', async () => {
  const { jobId } = await makeJob(client, points)
  const controllers: AbortController[] = []
  const breaking = async (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    const controller = new AbortController()
    controllers.push(controller)
    return fetch(input, { ...init, signal: controller.signal })
  }
  const clock = {
    now: () => Date.now(),
    after: (ms: number, then: () => void) => {
      const timer = setTimeout(then, ms > 5_000 ? ms : 1)
      return () => clearTimeout(timer)
    },
  }
  const sdk = createClient({ baseUrl: service.baseUrl, key: MANAGEMENT_KEY, fetch: breaking, clock })
  const stop = new AbortController()
  const ids: string[] = []
  const follow = async (): Promise<void> => {
    for await (const message of sdk.events.stream({ job_id: [jobId] }, { signal: stop.signal })) {
      if (message.type === 'ready') void client.bulk(bodies(jobId, 0, 5))
      if (message.type !== 'decision') continue
      ids.push(message.data.event_id)
      if (ids.length === 3) controllers.at(-1)!.abort()
      if (ids.length === 5) stop.abort(new Error('enough'))
    }
  }
  await assert.rejects(follow(), /enough/)
  assert.deepEqual(ids, numbered(0, 5))
  assert.ok(controllers.length > 1 || ids.length === 5)
})

test('a drain ends streams with a word', async () => {
  const own = await startService()
  const stream = await openStream(own.client)
  await stream.until((messages) => messages.length === 1)
  await own.close()
  await stream.ended
  assert.deepEqual(stream.messages.at(-1)!.data, {
    code: 'draining',
    status: 503,
    message: 'the service is shutting down',
  })
})
