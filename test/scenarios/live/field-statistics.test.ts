/** Field statistics of a sample over HTTP. */
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { after, before, test } from 'node:test'
import type { Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client

before(async () => {
  service = await startService()
  client = service.client
})
after(() => service.close())

const path = '/api/v2/field-statistics'
const rules = ['Failed logon', 'New admin', 'Log cleared', 'Port scan']

const events = Array.from({ length: 400 }, (_, n) => ({
  '@timestamp': `2026-01-10T10:00:${String(n % 60).padStart(2, '0')}.${n}Z`,
  event_id: `x-${n * 7919}`,
  rule: { id: n % 4, name: rules[n % 4] },
  host: { name: `web-${n % 9}` },
  message: `user number ${n} did something to the machine number ${n % 13} again`,
  bytes: n * 37,
  ...(n % 5 === 0 ? { rare: n % 2 === 0 ? 'a' : 'b' } : {}),
  constant: 'same',
}))

function fieldOf(body: any, name: string): any {
  return body.fields.find(({ field }: any) => field === name)
}

test('fields are told apart, and those that come again are suggested, each with a reason', async () => {
  const { status, body, text } = await client.post(path, events)
  assert.equal(status, 200, text)
  assert.deepEqual([body.events, body.format, body.skipped], [400, 'json', 0])
  const kinds = ['@timestamp', 'event_id', 'rule.name', 'message', 'bytes'].map((name) => fieldOf(body, name).kind)
  assert.deepEqual(kinds, ['time', 'id', 'category', 'text', 'number'])
  assert.deepEqual(body.decision_points, ['rule.id', 'host.name'])
  assert.deepEqual([body.buckets, body.largest_share > 0.9], [36, true])
  assert.match(fieldOf(body, 'rare').reason, /Only 20 %/)
  assert.match(fieldOf(body, 'constant').reason, /same value/)
  assert.equal(fieldOf(body, 'host.name').codes.length, 400)
  assert.equal(fieldOf(body, 'event_id').codes, null)
  for (const { reason } of body.fields) assert.ok(reason.endsWith('.'), reason)
})

test('the same is found in NDJSON, gzip, CSV and the answer of a search engine', async () => {
  const lines = events.map((event) => JSON.stringify(event)).join('\n')
  const expected = (await client.post(path, events)).body.decision_points
  const ndjson = await client.post(path, lines)
  assert.deepEqual([ndjson.body.format, ndjson.body.decision_points], ['ndjson', expected])
  const zipped = await client.post(path, gzipSync(lines))
  assert.deepEqual(zipped.body.decision_points, expected)
  const hits = { hits: { total: 400, hits: events.map((_source) => ({ _source })) } }
  assert.deepEqual((await client.post(path, hits)).body.decision_points, expected)
  const own = await client.post(path, events.map((raw_body) => JSON.stringify({ job_id: 1, raw_body })).join('\n'))
  assert.deepEqual(own.body.decision_points, expected)
  const rows = events.map(
    ({ rule, host, message }) => `${rule.id};"${rule.name}, ""quoted""";${host.name};"${message}"`,
  )
  const csv = await client.post(path, `id;rule;host;message\r\n${rows.join('\r\n')}\r\n`)
  assert.deepEqual([csv.body.format, csv.body.events], ['csv', 400])
  assert.ok(fieldOf(csv.body, 'rule').examples.includes('Port scan, "quoted"'))
  assert.equal(fieldOf(csv.body, 'host').values, 9)
})

test('what is no text is refused, and not read as CSV', async () => {
  const workbook = Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(30), Buffer.from('a,b\n1,2\n')])
  for (const body of [workbook, gzipSync(workbook)]) {
    const { status, text } = await client.post(path, body)
    assert.deepEqual([status, /should be text/.test(text)], [422, true], text)
  }
})

test('buckets are counted by the points of the request, and lines that are no events are counted', async () => {
  const one = await client.post(
    `${path}?points=rule.name`,
    `${JSON.stringify(events[0])}\nnothing\n${JSON.stringify(events[1])}`,
  )
  assert.deepEqual([one.body.events, one.body.skipped, one.body.buckets], [2, 1, 2])
  const none = await client.post(path, '[]')
  assert.deepEqual([none.status, none.body.detail[0].loc], [422, ['body']])
  assert.equal((await client.post(path, '')).status, 422)
})
