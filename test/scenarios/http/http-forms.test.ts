/** Forms of HTTP/1.1 requests that a proxy and the service could read differently (RFC 9112), on a raw socket. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { httpNotice } from '../../../server/http/native.js'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { hasHttpThreads, startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let jobId: number
let event: string
let made = 0

before(async () => {
  service = await startService()
  client = service.client
  jobId = (await makeJob(client)).jobId
  event = `{"job_id":${jobId},"raw_body":{"rule":"form"}}`
})
after(() => service.close())

afterEach(async () => {
  assert.equal((await client.post('/api/v1/events/', { job_id: jobId, raw_body: {} })).status, 201)
})

const HOST = 'Host: x\r\n'
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const LIVE = `GET /livez HTTP/1.1\r\n${HOST}\r\n`
/** When nothing more is expected of a connection that stays open. */
const QUIET_MS = 300
/** When the service must have answered, or closed a connection. No measure of speed. */
const LIMIT_MS = 60_000

/** What came back on a connection. */
interface Talk {
  readonly statuses: readonly string[]
  readonly text: string
  /** The service closed the connection. */
  readonly closed: boolean
}

interface TalkOptions {
  /** The client ends its side after the last piece. The service closes such a connection. */
  readonly ends?: boolean
  /** The service closes the connection. */
  readonly closes?: boolean
  /** So many answers come at least. */
  readonly answers?: number
  /** More answers come until this holds of their statuses. */
  settled?(statuses: readonly string[]): Promise<boolean>
}

/** The service, in the same process, reads what has been sent. */
async function rounds(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
  // Where other threads serve HTTP, their rounds are not those of this one.
  if (hasHttpThreads) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Sends the pieces, each in a read of its own, and listens until the connection closes or is quiet. */
async function talk(pieces: readonly string[], options: TalkOptions = {}): Promise<Talk> {
  const { ends = false, closes = ends, answers = 0, settled } = options
  const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  let text = ''
  let closed = false
  let heardMs = performance.now()
  const hear = (): void => void (heardMs = performance.now())
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1')
    hear()
  })
  for (const sign of ['end', 'error', 'close']) socket.on(sign, () => (closed = true))
  await once(socket, 'connect')
  await rounds()
  for (const piece of pieces) {
    await new Promise<void>((resolve) => socket.write(Buffer.from(piece, 'latin1'), () => resolve()))
    await rounds()
    hear()
  }
  if (ends) socket.end()
  const statuses = (): string[] => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status!)
  // Nothing depends on how fast it answers.
  const isOver = async (): Promise<boolean> => {
    if (closed || closes || statuses().length < answers) return closed
    return performance.now() - heardMs > QUIET_MS && (settled === undefined || (await settled(statuses())))
  }
  await eventually(isOver, (over) => over, LIMIT_MS).catch(() => {})
  socket.destroy()
  return { statuses: statuses(), text, closed }
}

const newId = (): string => `form-${++made}`

/** A request for one event. `headers` end with CR LF. */
function post(id: string, headers: string, body: string): string {
  return `POST /api/v1/events/${id} HTTP/1.1\r\nx-service-api-key: ${client.key}\r\n${headers}\r\n${body}`
}

function sized(id: string, headers = ''): string {
  return post(id, `${HOST}Content-Length: ${event.length}\r\n${headers}`, event)
}

function chunks(end = '0\r\n\r\n'): string {
  return `${event.length.toString(16)}\r\n${event}\r\n${end}`
}

async function isStored(id: string): Promise<boolean> {
  return (await client.get(`/api/v1/events/${jobId}/${id}`)).status === 200
}

const storedOf = (ids: readonly string[]): Promise<boolean[]> => Promise.all(ids.map(isStored))

async function assertRefused(id: string, request: string, status = '400'): Promise<void> {
  const { statuses, text, closed } = await talk([request], { closes: true })
  assert.deepEqual(statuses, [status], request)
  assert.ok(closed, `the connection stays open after ${request}`)
  assert.match(text, /\r\nConnection: close\r\n/i, request)
  assert.equal(await isStored(id), false, request)
}

test('a header that must be single and is repeated is 400, and the connection is closed', async () => {
  const length = `Content-Length: ${event.length}\r\n`
  for (const headers of [
    `${HOST}${length}${length}`,
    `${HOST}${length}Content-Length: 5\r\n`,
    `${HOST}Content-Length: 5\r\n${length}`,
    `${HOST}Content-Length: 0\r\ncontent-length: ${event.length}\r\n`,
    `${HOST}Content-Length:\r\n${length}`,
    `${HOST}Content-Length:\r\n`,
    `${HOST}${HOST}${length}`,
    `${HOST}Host: y\r\n${length}`,
    `${HOST}${length}X-Service-Api-Key: another\r\n`,
    `${HOST}${length}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n`,
    `${HOST}${length}Content-Type: application/json\r\nContent-Type: text/plain\r\n`,
  ]) {
    const id = newId()
    await assertRefused(id, post(id, headers, event))
  }
  for (const method of ['GET', 'DELETE']) {
    const { statuses, closed } = await talk([`${method} /livez HTTP/1.1\r\n${HOST}${HOST}\r\n`], { closes: true })
    assert.deepEqual([statuses, closed], [['400'], true])
  }
  const head = await talk([`HEAD /livez HTTP/1.1\r\n${HOST}${HOST}\r\n`], { closes: true })
  assert.deepEqual([head.statuses, head.closed], [['400'], true])
})

test('headers that may be repeated are taken', async () => {
  const id = newId()
  const headers = 'Accept: text/html\r\nAccept: */*\r\nX-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2\r\n'
  assert.deepEqual((await talk([sized(id, headers)], { answers: 1 })).statuses, ['201'])
  assert.ok(await isStored(id))
})

test('a request that hides behind two lengths is not served', async () => {
  const [outer, hidden] = [newId(), newId()]
  const inner = sized(hidden)
  const lengths = `Content-Length: ${event.length}\r\nContent-Length: ${event.length + inner.length}\r\n`
  for (const pieces of [
    [post(outer, HOST + lengths, event + inner)],
    [post(outer, HOST + lengths, event), inner],
    [post(outer, HOST + lengths, ''), event + inner],
  ]) {
    const { statuses, closed } = await talk(pieces, { closes: true })
    assert.ok(closed && statuses.every((status) => status === '400'), String(statuses))
    assert.deepEqual([await isStored(outer), await isStored(hidden)], [false, false])
  }
})

test('a transfer coding other than chunked is refused, and so is one beside a length', async () => {
  for (const [headers, status] of [
    ['Transfer-Encoding: gzip, chunked\r\n', '501'],
    ['Transfer-Encoding: chunked, gzip\r\n', '400'],
    ['Transfer-Encoding: xchunked\r\n', '400'],
    ['Transfer-Encoding:\r\n', '400'],
    [CHUNKED + CHUNKED, '400'],
    [`Transfer-Encoding: gzip\r\n${CHUNKED}`, '400'],
    [`Transfer-Encoding:\r\n${CHUNKED}`, '400'],
    [`${CHUNKED}Transfer-Encoding: gzip\r\n`, '400'],
    [`Transfer-Encoding:\r\nContent-Length: ${event.length}\r\n`, '400'],
    [`${CHUNKED}Content-Length: 5\r\n`, '400'],
  ] as const) {
    const id = newId()
    const { statuses, closed } = await talk([post(id, HOST + headers, chunks())], { closes: true })
    assert.deepEqual([statuses, closed, await isStored(id)], [[status], true, false], headers)
  }
})

test('a chunked request is answered, and its connection is closed', async () => {
  for (const pieces of [
    [post('*', HOST + CHUNKED, chunks())],
    [post('*', HOST + CHUNKED, ''), chunks()],
    [post('*', `${HOST}transfer-encoding:\tCHUNKED \r\n`, chunks(''))].concat('0\r\n', '\r\n'),
  ]) {
    const id = newId()
    const sent = pieces.map((piece) => piece.replace('*', id))
    const { statuses, closed, text } = await talk(sent, { closes: true })
    assert.deepEqual([statuses, closed, await isStored(id)], [['201'], true, true])
    assert.match(text, /\r\nConnection: close\r\n/i)
  }
})

test('trailers and what follows a chunk extension are never served as a request', async () => {
  const hidden = newId()
  const bodies = [
    chunks(`0\r\nX-Sum: 1\r\n\r\n`),
    chunks(`0\r\n${sized(hidden)}`),
    chunks(`0\r\nX-${sized(hidden)}`),
    chunks(`0;a=b\r\n\r\n${sized(hidden)}`),
    `${event.length.toString(16)};a=b\r\n${event}\r\n0\r\n\r\n${sized(hidden)}`,
  ]
  for (const body of bodies) {
    const id = newId()
    // Together, apart, and with a key that is refused at once.
    await talk([post(id, HOST + CHUNKED, body)])
    await talk([post(id, HOST + CHUNKED, body.slice(0, body.indexOf('0\r\n') + 3)), body])
    await talk([post(id, `${HOST}${CHUNKED}`, body).replace(client.key, 'nobody')])
    await talk([post(id, `${HOST}${CHUNKED}`, '').replace(client.key, 'nobody'), body])
    assert.equal(await isStored(hidden), false, body)
  }
  const live = await talk([post(newId(), HOST + CHUNKED, chunks('0\r\n')), LIVE], { answers: 1 })
  // Read as a trailer, it has no colon: node:http refuses the request. uWebSockets.js knows no trailers.
  assert.deepEqual(live.statuses, [httpNotice === null ? '201' : '400'])
})

test('a chunk extension is answered, and nothing of it is stored', async () => {
  const sizes = [event.length.toString(16), '0'.repeat(4) + event.length.toString(16)]
  const talks = sizes.map(async (size) => {
    const id = newId()
    const body = `${size};a=b\r\n${event}\r\n0\r\n\r\n`
    return [id, await talk([post(id, HOST + CHUNKED, body)], { closes: true })] as const
  })
  for (const [id, { statuses, closed }] of await Promise.all(talks)) {
    // node:http reads extensions.
    assert.deepEqual([statuses, closed], [[httpNotice === null ? '400' : '201'], true])
    assert.equal(await isStored(id), httpNotice !== null)
  }
})

test('a chunked request that is refused at once is answered when its body ends, or soon', async () => {
  const refused = post(newId(), HOST + CHUNKED, '').replace(client.key, 'nobody')
  const whole = await talk([refused + chunks()], { closes: true })
  assert.deepEqual([whole.statuses, whole.closed], [['401'], true])
  const socket = connect({ port: service.port, host: '127.0.0.1' })
  let text = ''
  socket.on('data', (bytes) => (text += bytes.toString()))
  socket.on('error', () => {})
  socket.write(refused)
  await new Promise((resolve) => socket.once('close', resolve))
  assert.match(text, /^HTTP\/1\.1 401 /)
})

test('a chunked stream has a whole answer, and nothing is served behind it', async () => {
  const id = newId()
  const line = `{"event_id":"${id}","job_id":${jobId},"raw_body":{}}\n`
  const head = `POST /api/v1/events/_bulk HTTP/1.1\r\nx-service-api-key: ${client.key}\r\n${HOST}${CHUNKED}\r\n`
  const stream = `${head}${line.length.toString(16)}\r\n${line}\r\n0\r\n\r\n`
  const { statuses, text } = await talk([stream, LIVE], { closes: true })
  assert.deepEqual(statuses, ['200'])
  assert.match(text, /\r\nConnection: close\r\n/)
  assert.match(text, new RegExp(`"event_id":"${id}"[^\\r]*\\n\\r\\n0\\r\\n\\r\\n$`))
  assert.ok(await isStored(id))
})

test('pipelined requests are answered in order', async () => {
  const ids = [newId(), newId()]
  const requests = ids.map((id) => sized(id))
  const { statuses, text, closed } = await talk(requests, { answers: 2 })
  assert.deepEqual([statuses, closed], [['201', '201'], false])
  assert.deepEqual(
    [...text.matchAll(/"event_id":"(form-\d+)"/g)].map(([, id]) => id),
    ids,
  )
})

test('requests that uWebSockets.js reads together are not stored without an answer', async () => {
  for (const next of ['', LIVE, `PUT /api/v1/events/${jobId}/x/feedback HTTP/1.1\r\n${HOST}\r\n`]) {
    const ids = [newId(), newId()]
    const isEqual = async (statuses: readonly string[]): Promise<boolean> =>
      (await storedOf(ids)).filter(Boolean).length === statuses.filter((status) => status === '201').length
    const { statuses } = await talk([sized(ids[0]!) + (next || sized(ids[1]!))], { answers: 1, settled: isEqual })
    assert.ok(await isEqual(statuses), `${await storedOf(ids)}, and ${statuses} was answered`)
  }
  const ids = Array.from({ length: 6 }, newId)
  const settled = async ({ length }: readonly string[]): Promise<boolean> =>
    (await storedOf(ids)).filter(Boolean).length === length
  const { statuses } = await talk(
    ids.map((id) => sized(id)),
    { answers: 1, settled },
  )
  const stored = await storedOf(ids)
  assert.ok(statuses.length >= 1)
  assert.deepEqual(
    stored,
    [...ids.keys()].map((i) => i < statuses.length),
  )
})

test('a client that half-closes after its request is answered', async () => {
  // In a busy moment the service does not hold such a connection (read-stops.ts): the next moment it does.
  const answered = async (request: () => string, status: string): Promise<void> => {
    for (let tries = 1; ; tries++) {
      const { statuses } = await talk([request()], { ends: true })
      if (statuses.length === 1 || tries === 5) return assert.deepEqual(statuses, [status])
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
  }
  for (let i = 0; i < 10; i++) {
    await answered(() => sized(newId()), '201')
    await answered(() => post(newId(), HOST + CHUNKED, chunks()), '201')
    await answered(() => LIVE, '200')
  }
  const id = newId()
  await talk([sized(id)])
  const vote = '{"feedback":"nothing"}'
  const feedback =
    `PUT /api/v1/events/${jobId}/${id}/feedback HTTP/1.1\r\n${HOST}x-service-api-key: ${client.key}\r\n` +
    `Content-Length: ${vote.length}\r\n\r\n${vote}`
  const { statuses } = await talk([feedback], { ends: true })
  assert.equal(statuses.length, 1)
})

test('a request without Host is 400', async () => {
  const id = newId()
  const { statuses, closed } = await talk([post(id, `Content-Length: ${event.length}\r\n`, event)], { closes: true })
  assert.deepEqual([statuses, closed, await isStored(id)], [['400'], true, false])
})

test('a header with a fold, a NUL, a bare CR or a bare LF is not served', async () => {
  for (const headers of [
    'X-A: a\r\n b\r\n',
    'X-A: a\r\n\tTransfer-Encoding: chunked\r\n',
    'X-A: a\0b\r\n',
    'X\0A: b\r\n',
    'X-A: a\rb\r\n',
    'X-A: a\rTransfer-Encoding: chunked\r\n',
    'X-A: a\nb\r\n',
    'X-A : b\r\n',
    'no colon\r\n',
  ]) {
    const ids = [newId(), newId()]
    const { statuses } = await talk([sized(ids[0]!, headers), sized(ids[1]!)])
    assert.ok(!statuses.includes('201'), headers)
    assert.deepEqual(await Promise.all(ids.map(isStored)), [false, false], headers)
  }
})
