/** POST /api/v1/events/_bulk: NDJSON in, NDJSON out. */
import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import { after, before, test } from 'node:test'
import { Check } from 'typebox/schema'
import { limits } from '../../engine/limits.js'
import { ResultLine } from '../../server/schemas/events.js'
import { eventually, makeJob, openSocket, type Client } from '../support/client.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let client: Client
let jobId: number

before(async () => {
  service = await startService({ threads: 2 })
  client = service.client
  jobId = (await makeJob(client)).jobId
})
after(() => service.close())

const line = (eventId: string, rule = 'a'): string =>
  JSON.stringify({ job_id: jobId, event_id: eventId, raw_body: { rule } })

test('each line has one result, in the order of the lines', async () => {
  const ids = Array.from({ length: 5_000 }, (_, i) => `ordered-${i}`)
  const results = await client.bulk(ids.map((id) => line(id)).join('\n'))
  assert.deepEqual(
    results.map(({ event_id }) => event_id),
    ids,
  )
  assert.ok(results.every((result) => result.status === 'OK' && Check(ResultLine, result)))
})

test('events without an id of their own get one', async () => {
  const results = await client.bulk(`${JSON.stringify({ job_id: jobId, raw_body: {} })}\n`.repeat(3))
  assert.equal(new Set(results.map(({ event_id }) => event_id)).size, 3)
})

test('one bad line does not affect the others', async () => {
  const results = await client.bulk(
    [
      line('good-1'),
      'not json',
      '{}',
      `{"job_id":999999,"raw_body":{}}`,
      `{"job_id":${jobId},"raw_body":5}`,
      `{"job_id":${jobId},"raw_body":{"a":}}`,
      `{"job_id":${jobId},"event_id":"${'i'.repeat(600)}","raw_body":{}}`,
      '[]',
      line('good-2'),
    ].join('\n'),
  )
  assert.deepEqual(
    results.map(({ status, status_code }) => status_code ?? status),
    ['OK', 400, 422, 404, 422, 400, 422, 422, 'OK'],
  )
  for (const result of results.slice(1, -1)) {
    assert.equal(result.status, 'ERROR')
    assert.equal(typeof result.error, 'string')
    assert.ok(Check(ResultLine, result))
  }
  assert.equal(results[3].job_id, 999_999)
})

test('blank lines and carriage returns are skipped, and the last line needs no end', async () => {
  const results = await client.bulk(`\n\r\n  \n${line('crlf')}\r\n\r\n${line('last')}`)
  assert.deepEqual(
    results.map(({ event_id }) => event_id),
    ['crlf', 'last'],
  )
})

test('an empty stream has an empty answer', async () => {
  assert.deepEqual(await client.bulk(''), [])
  assert.deepEqual(await client.bulk('\n\n'), [])
})

test('a line over the limit is refused in its place', async () => {
  const long = JSON.stringify({ job_id: jobId, raw_body: { a: 'x'.repeat(limits.eventBytesMax) } })
  const results = await client.bulk([line('before'), long, line('after')].join('\n'))
  assert.deepEqual(
    results.map(({ status, status_code }) => status_code ?? status),
    ['OK', 413, 'OK'],
  )
})

test('gzip is accepted', async () => {
  const ids = Array.from({ length: 3_000 }, (_, i) => `zipped-${i}`)
  const zipped = gzipSync(ids.map((id) => line(id)).join('\n'))
  const results = await client.bulk(zipped, { headers: { 'content-encoding': 'gzip' } })
  assert.deepEqual(
    results.map(({ event_id }) => event_id),
    ids,
  )
})

test('gzip that breaks off ends the answer with an error', async () => {
  const zipped = gzipSync(Array.from({ length: 2_000 }, (_, i) => line(`broken-${i}`, String(Math.sin(i)))).join('\n'))
  const results = await client.bulk(zipped.subarray(0, zipped.length >> 1))
  assert.equal(results.at(-1).status_code, 400)
  assert.ok(results.length > 1)
})

test('bytes after the end of gzip are dropped, and the connection stays usable', async () => {
  const [zipped, rest] = [gzipSync(`${line('padded')}\n`), Buffer.alloc(16 * 1024 * 1024)]
  const socket = await openSocket(service.port)
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes.toString()))
  socket.write(
    `POST /api/v1/events/_bulk HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${client.key}\r\n` +
      `Content-Length: ${zipped.length + rest.length}\r\n\r\n`,
  )
  socket.write(zipped)
  await eventually(
    async () => answer,
    (text) => text.includes('"padded"'),
  )
  let isSent = false
  socket.write(rest, () => (isSent = true))
  await eventually(
    async () => answer,
    (text) => text.endsWith('0\r\n\r\n') && isSent,
  )
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  await eventually(
    async () => answer,
    (text) => text.includes('"alive"'),
  )
  socket.destroy()
})

test('the same id twice in one stream is one event; with another body it is another one (S32)', async () => {
  const results = await client.bulk([line('same', 'a'), line('same', 'a'), line('same', 'b')].join('\n'))
  const [first, again, other] = results.map(({ event_id }) => event_id)
  assert.deepEqual([first, again], ['same', 'same'])
  assert.match(other, /^same-[0-9a-f]{12}$/)
  for (const [id, rule] of [
    ['same', 'a'],
    [other, 'b'],
  ]) {
    const { body } = await client.get(`/api/v1/events/${jobId}/${id}/export`)
    assert.equal(body.service_event.rule, rule)
  }
})

test('results arrive while the body is still being sent', async () => {
  const socket = await openSocket(service.port)
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes.toString()))
  const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
  socket.write(
    `POST /api/v1/events/_bulk HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${client.key}\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n${chunk(`${line('live-1')}\n${line('live-2').slice(0, 10)}`)}`,
  )
  await eventually(
    async () => answer,
    (text) => text.includes('live-1'),
  )
  assert.ok(!answer.includes('live-2'))
  socket.write(chunk(`${line('live-2').slice(10)}\n`))
  await eventually(
    async () => answer,
    (text) => text.includes('live-2'),
  )
  socket.write('0\r\n\r\n')
  await eventually(
    async () => answer,
    (text) => text.endsWith('0\r\n\r\n'),
  )
  socket.destroy()
})

test('a long stream to a slow reader arrives whole', async () => {
  const count = 30_000
  const body = Array.from({ length: count }, (_, i) => line(`slow-${i}`)).join('\n')
  const socket = await openSocket(service.port)
  socket.write(
    `POST /api/v1/events/_bulk HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${client.key}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`,
  )
  socket.write(body)
  let results = 0
  let last = ''
  await new Promise<void>((resolve) => {
    let pauses = 0
    socket.on('data', (bytes) => {
      const text = last + bytes.toString()
      results += text.split('"event_id":').length - 1 - (last.split('"event_id":').length - 1)
      last = text.slice(-20)
      if (text.endsWith('0\r\n\r\n')) resolve()
      if (pauses++ < 40) {
        socket.pause()
        setTimeout(() => socket.resume(), 25)
      }
    })
  })
  socket.destroy()
  assert.equal(results, count)
})

test('a client that leaves halfway leaves nothing behind', async () => {
  for (const end of ['destroy', 'resetAndDestroy'] as const) {
    const socket = await openSocket(service.port)
    socket.write(
      `POST /api/v1/events/_bulk HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${client.key}\r\n` +
        `Content-Length: 1000000\r\n\r\n${`${line('gone')}\n`.repeat(500)}{"job_id":`,
    )
    await eventually(
      () => client.get(`/api/v1/events/${jobId}/gone`),
      ({ status }) => status === 200,
    )
    socket[end]()
  }
  assert.equal((await client.bulk(line('still here')))[0].status, 'OK')
})
