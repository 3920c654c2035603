/** Whatever a client sends, the answer is a refusal with a reason, and the next request is served. */
import assert from 'node:assert/strict'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { after, afterEach, before, test } from 'node:test'
import { limits } from '../../engine/limits.js'
import { makeJob, type Answer, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client
let jobId: number

before(async () => {
  service = await startService()
  client = service.client
  jobId = (await makeJob(client)).jobId
})
after(() => service.close())

/** Made before there are connections: it takes long enough for them to be closed. */
const bomb = gzipSync(Buffer.alloc(20 * limits.eventBytesMax, 0x20), { strategy: constants.Z_RLE })

afterEach(async () => {
  assert.equal((await client.post('/api/v1/events/', { job_id: jobId, raw_body: { rule: 'well' } })).status, 201)
})

const postText = (text: string | Uint8Array): Promise<Answer> => client.post('/api/v1/events/', text)
const wrap = (rawBody: string): string => `{"job_id":${jobId},"raw_body":${rawBody}}`

function assertDetail(answer: Answer, ...loc: string[]): void {
  assert.equal(answer.status, 422, answer.text)
  assert.deepEqual(answer.body.detail[0].loc, loc)
  assert.deepEqual(Object.keys(answer.body.detail[0]), ['loc', 'msg', 'type'])
}

test('what is not JSON is 400', async () => {
  for (const text of [
    'hello',
    '{',
    '{"job_id":',
    `{"job_id":${jobId}`,
    wrap('{'),
    wrap('{"a":}'),
    wrap('{}x'),
    `${wrap('{}')}${wrap('{}')}`,
    wrap("{'a':1}"),
    '\u0000',
    wrap('{"a":"\n"}'),
  ]) {
    const answer = await postText(text)
    assert.equal(answer.status, 400, `${text}: ${answer.text}`)
    assert.equal(typeof answer.body.error, 'string')
  }
  assert.equal((await client.post('/api/v1/jobs/get_by_name', '{')).status, 400)
  assert.equal((await client.put(`/api/v1/events/${jobId}/a/feedback`, 'no')).status, 400)
  assert.equal((await client.post('/api/v2/resources', '[')).status, 400)
  assert.equal((await client.post(`/api/v1/bulk/${jobId}`, '{"events":')).status, 400)
})

test('broken gzip is 400, and gzip that unpacks over the limit is 413', async () => {
  const whole = gzipSync(wrap('{}'))
  assert.equal((await postText(whole.subarray(0, whole.length - 9))).status, 400)
  assert.equal((await postText(Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from('nonsense')]))).status, 400)
  assert.ok(bomb.length < limits.eventBytesMax)
  assert.equal((await postText(bomb)).status, 413)
  assert.equal((await client.post('/api/v1/jobs/get_by_name', bomb)).status, 413)
})

test('a coding that is not read is 415 and says which ones are', async () => {
  const packed = brotliCompressSync(wrap('{}'))
  for (const coding of ['br', 'deflate', 'zstd', 'gzip, gzip']) {
    for (const path of ['/api/v1/events/', '/api/v1/events/_bulk', '/api/v1/jobs/get_by_name']) {
      const refused = await client.request('POST', path, { body: packed, headers: { 'content-encoding': coding } })
      assert.equal(refused.status, 415, `${coding} ${path} ${refused.text}`)
      assert.match(refused.body.error, /gzip/)
      assert.equal(refused.headers.get('accept-encoding'), 'gzip, identity')
    }
  }
  for (const [coding, body] of [
    ['gzip', gzipSync(wrap('{}'))],
    ['X-GZip', gzipSync(wrap('{}'))],
    ['identity', wrap('{}')],
    ['gzip', wrap('{}')],
  ] as const) {
    const taken = await client.request('POST', '/api/v1/events/', { body, headers: { 'content-encoding': coding } })
    assert.equal(taken.status, 201, taken.text)
  }
})

test('a stream of nothing but empty lines has no result, and other requests are answered meanwhile', async () => {
  const empty = gzipSync(Buffer.alloc(16 * 1024 * 1024, ' \n\r\n\n\t\n'), { strategy: constants.Z_RLE })
  let isOver = false
  const stream = client.post('/api/v1/events/_bulk', empty).finally(() => {
    isOver = true
  })
  let answered = 0
  while (!isOver) {
    assert.equal((await client.get('/api/v1/health')).status, 200)
    answered++
  }
  const answer = await stream
  assert.deepEqual([answer.status, answer.text], [200, ''])
  assert.ok(answered > 10, `only ${answered} requests were answered meanwhile`)
})

test('a byte order mark is not part of a body', async () => {
  const mark = Buffer.from([0xef, 0xbb, 0xbf])
  const marked = (text: string): Buffer => Buffer.concat([mark, Buffer.from(text)])
  assert.equal((await postText(marked(wrap('{"a":1}')))).status, 201)
  assert.equal((await postText(gzipSync(marked(wrap('{"a":1}'))))).status, 201)
  assert.equal((await postText(Buffer.concat([mark, marked(wrap('{}'))]))).status, 400)
  assert.equal((await client.post('/api/v1/jobs/get_by_name', marked('{"job_name":"nobody"}'))).status, 404)
  assert.equal((await client.post(`/api/v2/jobs/${jobId}/start`, mark)).status, 200)
})

test('a body over the limit is 413, however it arrives', async () => {
  const big = wrap(`{"a":"${'x'.repeat(limits.eventBytesMax)}"}`)
  assert.equal((await postText(big)).status, 413)
  const largest = wrap(`{"a":"${'x'.repeat(limits.eventBytesMax - wrap('{"a":""}').length)}"}`)
  assert.equal(largest.length, limits.eventBytesMax)
  assert.equal((await postText(largest)).status, 201)
  const huge = new Uint8Array(limits.requestBytesMax + 1).fill(0x20)
  assert.equal((await client.post('/api/v1/jobs/get_by_name', huge)).status, 413)
})

test('an event that is nested too deep is 413', async () => {
  const nested = (depth: number): string => wrap(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)
  assert.equal((await postText(nested(limits.eventDepthMax - 4))).status, 201)
  for (const depth of [limits.eventDepthMax + 4, 10_000]) assert.equal((await postText(nested(depth))).status, 413)
  assert.equal((await postText(wrap(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`))).status, 413)
  assert.equal((await postText('['.repeat(50_000))).status, 400)
})

test('an event with too many fields is 413, never 422, which one client takes for success', async () => {
  const fields = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join(',')}}`
  const list = `[${`${fields(99)},`.repeat(limits.eventFieldsMax / 100)}0]`
  const refused = await postText(wrap(`{"a":${list}}`))
  assert.equal(refused.status, 413)
  assert.match(refused.body.error, /more than 200000 fields and items/)
  assert.equal((await postText(wrap(fields(limits.bodyNamesMax - 10)))).status, 201)
  const named = await postText(wrap(fields(limits.bodyNamesMax + 10)))
  assert.equal(named.status, 413)
  assert.match(named.body.error, /more than 10000 different field names/)
  assert.equal((await postText(wrap(`{"a":[${'1,'.repeat(limits.eventFieldsMax)}1]}`))).status, 413)
  const top = Array.from({ length: 600_000 }, (_, i) => `"${i}":1`)
  assert.equal((await postText(`{${top.join(',')},"job_id":${jobId},"raw_body":{}}`)).status, 413)
})

test('a large case is stored whole, decided, found and exported', async () => {
  const event = (alert: number, at: number): unknown => ({
    ...Object.fromEntries(Array.from({ length: 59 }, (_, i) => [`field_${i}`, `value ${alert} ${at} ${i}`])),
    id: `event-${alert}-${at}`,
  })
  const alerts = Array.from({ length: 30 }, (_, alert) => ({
    name: `alert ${alert}`,
    events: Array.from({ length: 100 }, (_, at) => event(alert, at)),
  }))
  const rawBody = { rule: 'large case', alerts }
  const text = wrap(JSON.stringify(rawBody))
  assert.ok(text.length > 2 * 1024 * 1024, 'as large as what clients send')
  assert.equal((await client.post('/api/v1/events/large', text)).status, 201)
  assert.equal((await client.get(`/api/v1/events/${jobId}/large`)).body.status, 'OK')
  const exported = (await client.get(`/api/v1/events/${jobId}/large/export`)).body.service_event
  assert.deepEqual(exported.alerts, alerts)
  for (const id of ['event-0-0', 'event-29-99']) {
    const filters = [{ field: 'alerts.events.id', operator: 'is', value: id }]
    const found = await client.post('/api/v2/events/query', { job_ids: [jobId], filters, count_results_only: true })
    assert.equal(found.body.total_count, 1, id)
  }
})

test('an event with as many fields and names as there may be comes back as it was sent', async () => {
  const names = Object.fromEntries(Array.from({ length: limits.bodyNamesMax - 10 }, (_, i) => [`k${i}`, i]))
  const length = limits.eventFieldsMax - limits.bodyNamesMax
  const rawBody = { rule: 'wide', list: Array.from({ length }, (_, i) => i % 7), names }
  assert.equal((await client.post('/api/v1/events/wide', { job_id: jobId, raw_body: rawBody })).status, 201)
  const { rule, list, names: named } = (await client.get(`/api/v1/events/${jobId}/wide/export`)).body.service_event
  assert.deepEqual({ rule, list, names: named }, rawBody)
})

test('names with a meaning in JavaScript change nothing', async () => {
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    const posted = await postText(wrap(`{"${name}":{"polluted":true},"rule":"x"}`))
    assert.ok(posted.status === 201 || posted.status === 422, `${name}: ${posted.text}`)
    assert.ok((await postText(`{"${name}":{"job_id":1},"job_id":${jobId},"raw_body":{}}`)).status === 201)
    assert.equal((await client.post('/api/v1/jobs/get_by_name', `{"${name}":{"job_name":"x"}}`)).status, 422)
    await client.post('/api/v2/resources', `{"resources":{"${name}":{"type":"api_key","properties":{"name":"p"}}}}`)
  }
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
})

test('a missing or wrong job_id is 422 with its place', async () => {
  assertDetail(await postText(''), 'body', 'job_id')
  assertDetail(await postText('{}'), 'body', 'job_id')
  assertDetail(await postText('null'), 'body', 'job_id')
  for (const value of ['null', '"abc"', '""', '1.5', 'true', '{}', '[1]', '"1e2"']) {
    assertDetail(await postText(`{"job_id":${value},"raw_body":{}}`), 'body', 'job_id')
  }
  for (const text of ['[]', '"text"', '5', 'true']) assertDetail(await postText(text), 'body')
})

test('a missing or wrong raw_body is 422 with its place', async () => {
  for (const value of ['null', '"text"', '1', '[]', '[{}]', 'true']) {
    assertDetail(await postText(wrap(value)), 'body', 'raw_body')
  }
  assertDetail(await postText(`{"job_id":${jobId}}`), 'body', 'raw_body')
})

test('a job that does not exist is 404, whatever its number', async () => {
  for (const id of [
    '0',
    '-1',
    '999999',
    '"999999"',
    '123456789012345',
    '9007199254740991',
    '9007199254740993',
    '"9007199254740993"',
    '1e30',
  ]) {
    const answer = await postText(`{"job_id":${id},"raw_body":{}}`)
    assert.equal(answer.status, 404, id)
    assert.deepEqual(answer.body, { error: 'job not found' })
  }
})

test('an event id that is too long is refused', async () => {
  const path = (length: number): string => `/api/v1/events/${'i'.repeat(length)}`
  assert.equal((await client.post(path(limits.eventIdBytesMax), { job_id: jobId, raw_body: {} })).status, 201)
  assertDetail(await client.post(path(limits.eventIdBytesMax + 1), { job_id: jobId, raw_body: {} }), 'path', 'event_id')
  assert.equal((await client.get(`/api/v1/events/${jobId}/${'i'.repeat(1_000)}`)).status, 404)
})

test('an unknown event is 404 in every operation', async () => {
  for (const path of ['nope', 'nope/export']) {
    const answer = await client.get(`/api/v1/events/${jobId}/${path}`)
    assert.equal(answer.status, 404)
    assert.equal(answer.body.error, 'event not found')
  }
  const vote = await client.put(`/api/v1/events/${jobId}/nope/feedback`, { cortex_user: 'ann', feedback: 'Drop' })
  assert.equal(vote.status, 404)
})

test('an unknown label is 400 and a missing one 422', async () => {
  await client.post('/api/v1/events/labelled', { job_id: jobId, raw_body: { rule: 'l' } })
  const path = `/api/v1/events/${jobId}/labelled/feedback`
  for (const feedback of [
    '<empty>',
    'Nonsense',
    '',
    ' ',
    'label_3',
    'class_9',
    'label_',
    '__proto__',
    'x'.repeat(10_000),
  ]) {
    const answer = await client.put(path, { cortex_user: 'ann', feedback })
    assert.equal(answer.status, 400, `${feedback.slice(0, 20)}: ${answer.text}`)
    assert.equal(typeof answer.body.error, 'string')
    assert.ok(answer.text.length < 1_000)
  }
  assertDetail(await client.put(path, { cortex_user: 'ann' }), 'body', 'feedback')
  assertDetail(await client.put(path, { feedback: 5 }), 'body', 'feedback')
  assertDetail(await client.put(path, { cortex_user: 'x'.repeat(1_000), feedback: 'Drop' }), 'body', 'cortex_user')
  assert.equal((await client.get(`/api/v1/events/${jobId}/labelled`)).body.bucket_state, 'new')
})

test('historic events with a fault are refused whole', async () => {
  const { jobId: historic } = await makeJob(client)
  const good = { raw_body: { rule: 'a' } }
  for (const [body, status] of [
    [{}, 422],
    [{ events: 'x' }, 422],
    [{ events: [good, { raw_body: 5 }] }, 422],
    [{ events: [good, null] }, 422],
    [{ events: [good, { ...good, label: { cortex_user: 'ann', feedback: 'Nonsense' } }] }, 400],
    [[], 422],
    // The bounds of one event hold for each.
    [{ events: [good, { raw_body: { rule: 'x'.repeat(limits.eventBytesMax) } }] }, 413],
    [{ events: [good, { ...good, title: 'x'.repeat(limits.eventBytesMax) }] }, 413],
  ] as const) {
    const answer = await client.post(`/api/v1/bulk/${historic}`, body)
    assert.equal(answer.status, status, `${JSON.stringify(body).slice(0, 200)}: ${answer.text}`)
  }
  const wide = { raw_body: { list: new Array(limits.eventFieldsMax + 1).fill(0) } }
  const refused = await client.post(`/api/v1/bulk/${historic}`, { events: [good, wide] })
  assert.equal(refused.status, 413)
  assert.match(refused.body.error, /^events\.1: the event has more than 200000 fields/)
  const names = Array.from({ length: limits.itemsNamesMax + 1 }, (_, i) => [`f${i}`, i])
  const named = await client.post(`/api/v1/bulk/${historic}`, {
    events: [good, { raw_body: Object.fromEntries(names) }],
  })
  assert.equal(named.status, 413)
  assert.match(named.body.error, /at most 50000 different field names/)
  const many = { events: new Array(limits.historicEventsMax + 1).fill(good) }
  assert.equal((await client.post(`/api/v1/bulk/${historic}`, many)).status, 413)
  assert.equal((await client.get(`/api/v1/jobs/${historic}`)).body.processed_documents_count, 0)
  assert.equal((await client.post('/api/v1/bulk/nope', { events: [] })).status, 404)
})

test('resource documents of any shape are refused with a reason', async () => {
  for (const body of [
    [5],
    'text',
    5,
    { a: 1 },
    { a: { type: 'job' } },
    { a: { type: 'nonsense', properties: {} } },
    { resources: ['x'] },
    { a: { type: 'api_key', properties: { name: 'x'.repeat(1_000) } } },
    { a: { type: 'api_key', properties: { name: '' } } },
  ]) {
    const answer = await client.post('/api/v2/resources', JSON.stringify(body))
    assert.equal(answer.status, 422, `${JSON.stringify(body).slice(0, 60)}: ${answer.text}`)
    assert.ok(answer.body.detail.length > 0)
  }
  const deep = `{"a":${'{"b":'.repeat(20_000)}1${'}'.repeat(20_000)}}`
  assert.equal((await client.post('/api/v2/resources', deep)).status, 422)
})
