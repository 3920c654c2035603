import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { test } from 'node:test'
import { ApiError, ConnectionError, createClient, ServiceError, TimeoutError } from '../../../server/client/index.js'
import { FakeService, jsonReply, KEY, silence } from './fake.js'

const busy = jsonReply({ error: 'busy' }, 503)
const job = jsonReply({ job_id: 1 })

async function failure(call: Promise<unknown>): Promise<ServiceError> {
  try {
    await call
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error))
    return error
  }
  return assert.fail('it did not fail')
}

test('a call is tried again after 1, 2 and 4 seconds', async () => {
  const service = new FakeService([busy, busy, busy, job])
  assert.deepEqual(await service.client.getJob({ job_id: 1 }), { job_id: 1 })
  assert.deepEqual(service.waits, [1_000, 2_000, 4_000])
})

test('after three retries the error is the last one', async () => {
  const service = new FakeService([busy])
  const error = await failure(service.client.getJob({ job_id: 1 }))
  assert.equal(error.status, 503)
  assert.equal(service.sent.length, 4)
})

test('waits are shorter by chance, by a quarter at most', async () => {
  const service = new FakeService([busy, busy, job], { random: () => 0.999_999 })
  await service.client.getJob({ job_id: 1 })
  assert.deepEqual(service.waits.map(Math.round), [750, 1_500])
})

test('Retry-After goes before the own wait, as seconds and as a date', async () => {
  const later = (value: string) => jsonReply({ error: 'busy' }, 429, { 'retry-after': value })
  const service = new FakeService([later('7'), later('Sat, 31 Jan 2026 09:00:09 GMT'), job])
  await service.client.getJob({ job_id: 1 })
  assert.deepEqual(service.waits, [7_000, 9_000])
})

test('a Retry-After of more than a minute ends the call', async () => {
  const service = new FakeService([jsonReply({ error: 'busy' }, 503, { 'retry-after': '3600' })])
  assert.equal((await failure(service.client.getJob({ job_id: 1 }))).retryAfterMs, 3_600_000)
  assert.equal(service.sent.length, 1)
})

test('408, 429, 5xx and broken connections are tried again, and nothing else', async () => {
  for (const status of [408, 429, 500, 502, 503, 504, 507]) {
    const service = new FakeService([jsonReply({}, status), job])
    await service.client.getJob({ job_id: 1 })
    assert.equal(service.sent.length, 2, String(status))
  }
  const broken = new FakeService([new TypeError('fetch failed'), job])
  await broken.client.getJob({ job_id: 1 })
  assert.equal(broken.sent.length, 2)
  for (const status of [400, 401, 403, 404, 409, 413, 422]) {
    const service = new FakeService([jsonReply({ error: 'no' }, status)])
    await failure(service.client.getJob({ job_id: 1 }))
    assert.equal(service.sent.length, 1, String(status))
  }
})

test('a POST is tried again only with an event id, or where it is idempotent', async () => {
  const event = { job_id: 1, raw_body: {} }
  const counts: Record<string, number> = {}
  for (const [name, call] of Object.entries({
    withoutId: ({ client }: FakeService) => client.postEvent({ body: event }),
    withId: ({ client }: FakeService) => client.postEventWithId({ event_id: 'a', body: event }),
    query: ({ client }: FakeService) => client.queryEvents({ body: {} }),
    resources: ({ client }: FakeService) => client.applyResources({ body: { resources: {} } }),
    vote: ({ client }: FakeService) => client.giveFeedback({ job_id: 1, event_id: 'a', body: { feedback: 'Drop' } }),
  })) {
    const service = new FakeService([busy])
    await failure(call(service))
    counts[name] = service.sent.length
  }
  assert.deepEqual(counts, { withoutId: 1, withId: 4, query: 4, resources: 1, vote: 4 })
})

test('each attempt has a limit', async () => {
  const service = new FakeService([silence, job])
  const answer = service.client.getJob({ job_id: 1 })
  await new Promise(setImmediate)
  service.endAttempt()
  assert.deepEqual(await answer, { job_id: 1 })
  const alone = new FakeService([silence], { retries: 0, timeoutMs: 70_000 })
  const late = failure(alone.client.getJob({ job_id: 1 }))
  await new Promise(setImmediate)
  alone.endAttempt()
  const error = await late
  assert.ok(error instanceof TimeoutError)
  assert.equal(error.code, 'timeout')
  assert.match(error.message, /70000 ms/)
})

test('a signal ends a request and a wait, with its own reason', async () => {
  const reason = new Error('enough')
  for (const reply of [silence, busy]) {
    const stop = new AbortController()
    const service = new FakeService([reply])
    const call = service.client.getJob({ job_id: 1 }, { signal: stop.signal })
    await Promise.resolve()
    stop.abort(reason)
    await assert.rejects(call, reason)
    const before = service.sent.length
    await assert.rejects(service.client.getJob({ job_id: 1 }, { signal: stop.signal }), reason)
    assert.equal(service.sent.length, before)
  }
})

test('an error has the code, the request id and the fields of the answer', async () => {
  const problem = {
    type: 'about:blank',
    title: 'Unprocessable Entity',
    status: 422,
    detail: 'the body does not match its schema',
    code: 'invalid_body',
    errors: [{ loc: ['body', 'size'], msg: 'must be <= 10000', type: 'maximum' }],
  }
  const service = new FakeService([jsonReply(problem, 422, { 'x-request-id': 'r-1' })])
  const error = await failure(service.client.queryEvents({ body: { size: 20_000 } }))
  assert.ok(error instanceof ApiError)
  assert.deepEqual([error.status, error.code, error.requestId], [422, 'invalid_body', 'r-1'])
  assert.deepEqual(error.issues, problem.errors)
  assert.equal(error.message, 'queryEvents: body.size: must be <= 10000')
})

test('an answer of a proxy is an error, too', async () => {
  const page = new FakeService([new Response('<h1>Bad gateway</h1>', { status: 502 })], { retries: 0 })
  assert.equal((await failure(page.client.getRoot())).code, 'http_502')
  const moved = new FakeService([new Response(null, { status: 302, headers: { location: 'http://other.test' } })])
  assert.equal((await failure(moved.client.getRoot())).status, 302)
  const login = new FakeService([new Response('<h1>Sign in</h1>')])
  assert.equal((await failure(login.client.getRoot())).code, 'invalid_answer')
})

test('no error and no view of the client has the key', async () => {
  const leaky = Object.assign(new TypeError(`invalid header ${KEY}`), { cause: { code: 'ECONNRESET', key: KEY } })
  const errors = [
    await failure(new FakeService([leaky], { retries: 0 }).client.getRoot()),
    await failure(new FakeService([jsonReply({ error: `no key ${KEY}` }, 401)]).client.getRoot()),
    await failure(new FakeService([jsonReply({ detail: [{ loc: [], msg: KEY, type: '' }] }, 422)]).client.getRoot()),
  ]
  assert.ok(errors[0] instanceof ConnectionError)
  assert.match(errors[0].message, /service\.test.*ECONNRESET/)
  for (const shown of [...errors, new FakeService([job]).client]) {
    assert.doesNotMatch(inspect(shown, { depth: 9, showHidden: true }), new RegExp(KEY))
    assert.doesNotMatch(JSON.stringify(shown), new RegExp(KEY))
  }
  for (const key of [`${KEY}\n`, `${KEY} `, `${KEY}é`, '']) {
    assert.throws(
      () => createClient({ baseUrl: 'http://service.test', key }),
      (error: Error) => error instanceof TypeError && !error.message.includes(KEY),
    )
  }
})

test('an address must be one, without a password', () => {
  assert.throws(() => createClient(), /baseUrl/)
  assert.throws(() => createClient({ baseUrl: 'service.test' }), /baseUrl/)
  assert.throws(
    () => createClient({ baseUrl: 'http://ann:hidden@service.test' }),
    (error: Error) => /password/.test(error.message) && !error.message.includes('hidden'),
  )
})
