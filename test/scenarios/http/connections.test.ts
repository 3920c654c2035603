/** Clients that misbehave on the socket. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { routes } from '../../../server/routes/index.js'
import { eventually, makeJob, openSocket, type Client } from '../../support/client.js'
import { hasHttpThreads, startService, type TestService } from '../../support/service.js'

let service: TestService
let client: Client
let jobId: number

before(async () => {
  service = await startService()
  client = service.client
  jobId = (await makeJob(client)).jobId
})
after(() => service.close())

const head = (method: string, path: string, length: number): string =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nx-service-api-key: ${client.key}\r\nContent-Length: ${length}\r\n\r\n`

const assertAlive = async (): Promise<void> => {
  assert.equal((await client.post('/api/v1/events/', { job_id: jobId, raw_body: {} })).status, 201)
}

test('a client that sends half a body and leaves harms nobody, in any operation', async () => {
  for (const [method, path] of [
    ['POST', '/api/v1/events/'],
    ['POST', '/api/v1/events/half'],
    ['POST', '/api/v1/events/_bulk'],
    ['PUT', `/api/v1/events/${jobId}/a/feedback`],
    ['POST', `/api/v1/bulk/${jobId}`],
    ['POST', '/api/v2/resources'],
    ['POST', '/api/v1/jobs/get_by_name'],
    ['POST', `/api/v1/jobs/${jobId}/train`],
  ] as const) {
    for (const end of ['end', 'destroy', 'resetAndDestroy'] as const) {
      const socket = await openSocket(service.port)
      await new Promise<void>((resolve) =>
        socket.write(`${head(method, path, 500)}{"job_id":${jobId},"raw`, () => resolve()),
      )
      socket[end]()
    }
    await assertAlive()
  }
  assert.equal((await client.get(`/api/v1/events/${jobId}/half`)).status, 404)
})

test('a client that leaves before its answer harms nobody', async () => {
  const body = `{"job_id":${jobId},"raw_body":{"rule":"gone"}}`
  for (let i = 0; i < 50; i++) {
    const socket = await openSocket(service.port)
    await new Promise<void>((resolve) =>
      socket.write(head('POST', `/api/v1/events/gone-${i}`, body.length) + body, () => resolve()),
    )
    if (i % 2 === 0) socket.destroy()
    else socket.resetAndDestroy()
  }
  await assertAlive()
})

test('a slow reader gets a large answer whole, then the next one; a reader who leaves halfway harms nobody', async () => {
  const { jobId: large } = await makeJob(client)
  // More than the kernel buffers for a client that does not read.
  const text = 'x'.repeat(1_000_000)
  const ids = [...'abcdefgh']
  for (const id of ids) await client.post(`/api/v1/events/${id}`, { job_id: large, raw_body: { text } })
  const body = JSON.stringify({ job_ids: [large], size: 10 })
  const ask = head('POST', '/api/v2/events/query', body.length) + body
  const gone = await openSocket(service.port)
  gone.write(ask)
  await once(gone, 'readable')
  gone.read(1)
  gone.destroy()
  const socket = await openSocket(service.port)
  socket.write(ask)
  const pieces: Buffer[] = []
  const readUntil = async (end: string): Promise<void> => {
    while (!Buffer.concat(pieces.slice(-2)).includes(end)) {
      await once(socket, 'readable')
      for (let piece = socket.read() as Buffer | null; piece !== null; piece = socket.read() as Buffer | null)
        pieces.push(piece)
    }
  }
  await readUntil('"total_count"')
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
  await readUntil('{"status":"alive"}')
  const answer = Buffer.concat(pieces).toString('utf8')
  const start = answer.indexOf('\r\n\r\n') + 4
  const { events } = JSON.parse(answer.slice(start, answer.indexOf('HTTP/1.1', start))) as {
    events: { raw_body: { text: string } }[]
  }
  assert.equal(events.length, ids.length)
  assert.ok(events.every(({ raw_body: found }) => found.text === text))
  socket.destroy()
  await assertAlive()
})

test('a body in single bytes is one body', async () => {
  const body = `{"job_id":${jobId},"raw_body":{"rule":"drop by drop"}}`
  const socket = await openSocket(service.port)
  socket.setNoDelay(true)
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes.toString()))
  // The native parser takes a request line in one piece only.
  const [requestLine, ...rest] = (head('POST', '/api/v1/events/drops', body.length) + body).split(/(?<=\r\n)/)
  socket.write(requestLine!)
  for (const character of rest.join('')) {
    await new Promise<void>((resolve) => socket.write(character, () => resolve()))
  }
  await eventually(
    async () => answer,
    (text) => text.startsWith('HTTP/1.1 201 '),
  )
  socket.destroy()
})

test('requests that arrive together on one connection are answered in order', async () => {
  const body = `{"job_id":${jobId},"raw_body":{}}`
  const socket = await openSocket(service.port)
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes.toString()))
  for (let i = 0; i < 5; i++) {
    socket.write(head('POST', `/api/v1/events/p-${i}`, body.length) + body)
    await eventually(
      async () => answer,
      (text) => text.includes(`"p-${i}"`),
    )
  }
  assert.equal(answer.split('HTTP/1.1 201').length - 1, 5)
  socket.destroy()
})

test('every method on every path is answered, without a body and without a length', async () => {
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'NONSENSE']
  for (const { path } of routes) {
    for (const method of methods) {
      const socket = await openSocket(service.port)
      socket.write(
        `${method} ${path.replace(/\{\w+\}/g, String(jobId))} HTTP/1.1\r\nHost: x\r\n` +
          `x-service-api-key: ${client.key}\r\n\r\n`,
      )
      const answer = String(((await once(socket, 'data')) as [Buffer])[0])
      assert.match(answer, /^HTTP\/1.1 (?!500)\d{3} /, `${method} ${path}`)
      socket.destroy()
    }
  }
  await assertAlive()
})

test('what is not HTTP is closed', async () => {
  for (const text of [
    'hello\r\n\r\n',
    '\u0000\u0001\u0002',
    'GET / HTTP/9.9\r\n\r\n',
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
  ]) {
    const socket = await openSocket(service.port)
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.resume()
    socket.end(text)
    await closed
  }
  await assertAlive()
})

test('a request that is refused before its body was read leaves the connection in order', async () => {
  const body = 'x'.repeat(100_000)
  const socket = await openSocket(service.port)
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes.toString()))
  socket.write(head('POST', '/api/v1/nope', body.length) + body)
  // The library cuts a connection whose next request comes in the read of one that another thread serves.
  if (hasHttpThreads)
    await eventually(
      async () => answer,
      (text) => text.includes('404 Not Found'),
    )
  socket.write(head('GET', `/api/v1/jobs/${jobId}`, 0))
  await eventually(
    async () => answer,
    (text) => text.includes('404 Not Found') && text.includes('200 OK'),
  )
  socket.destroy()
})
