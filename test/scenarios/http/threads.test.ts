/** Several threads of HTTP: what clients may rely on holds over all of them. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, test } from 'node:test'
import { httpNotice } from '../../../server/http/native.js'
import { eventually, makeJob, type Client } from '../../support/client.js'
import { startService, type TestService } from '../../support/service.js'

const THREADS = 2
/** Connections are handed to the threads in turn. */
const CONNECTIONS = 4
const skip = httpNotice === null ? false : 'several threads need uWebSockets.js'

interface Reply {
  readonly status: number
  readonly text: string
}

/** One connection. */
class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  send(method: string, path: string, body = '', headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const own = { 'x-service-api-key': this.#client.key, 'content-length': Buffer.byteLength(body), ...headers }
      const query = request(
        new URL(this.#client.baseUrl + path),
        { agent: this.#agent, method, headers: own },
        (response) => {
          let text = ''
          response.on('data', (piece: Buffer) => (text += piece.toString()))
          response.on('end', () => resolve({ status: response.statusCode!, text }))
        },
      )
      query.on('error', reject)
      query.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

let service: TestService
let client: Client
let jobId: number
let connections: Connection[]

before(async () => {
  if (skip !== false) return
  service = await startService({ httpThreads: THREADS, threads: 2 })
  client = service.client
  jobId = (await makeJob(client)).jobId
  connections = Array.from({ length: CONNECTIONS }, () => new Connection(client))
  // Each thread passes the first request of a key on, and knows it soon.
  await Promise.all(connections.map((each) => warmUp(each)))
})
after(async () => {
  for (const each of connections ?? []) each.close()
  await service?.close()
})

async function warmUp(connection: Connection): Promise<void> {
  for (let i = 0; i < 5; i++) await connection.send('GET', `/api/v1/events/${jobId}/nothing`)
}

const eventOf = (rule: string): string => JSON.stringify({ job_id: jobId, raw_body: { rule } })

test('a version that was acknowledged on one connection is older than those sent after it on another', {
  skip,
}, async () => {
  let version = 0
  for (let round = 0; round < 30; round++) {
    for (const connection of connections) {
      const { status } = await connection.send('POST', '/api/v1/events/same', eventOf(`v${++version}`))
      assert.equal(status, 201)
      const reader = connections[(version + 1) % CONNECTIONS]!
      const { text } = await reader.send('GET', `/api/v1/events/${jobId}/same/export`)
      assert.ok(text.includes(`"v${version}"`), `version ${version}: ${text}`)
    }
  }
})

test('the lines of a stream are applied in their order, beside streams and single events of other threads', {
  skip,
}, async () => {
  const lineCount = 3_000
  const streamOf = (own: string): string =>
    Array.from({ length: lineCount }, (_, i) => {
      return `${JSON.stringify({ job_id: jobId, event_id: `${own}-${i}`, raw_body: { rule: `v${i}` } })}\n`
    }).join('')
  let over = false
  const singles = connections.slice(2).map(async (connection) => {
    while (!over) assert.equal((await connection.send('POST', '/api/v1/events/', eventOf('single'))).status, 201)
  })
  const streams = connections
    .slice(0, 2)
    .map((connection, i) => connection.send('POST', '/api/v1/events/_bulk', streamOf(`s${i}`)))
  const answers = await Promise.all(streams)
  over = true
  await Promise.all(singles)
  for (const [i, { text }] of answers.entries()) {
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      lines.map(({ event_id }) => event_id),
      Array.from({ length: lineCount }, (_, at) => `s${i}-${at}`),
    )
    const times = lines.map(({ ingest_timestamp }) => ingest_timestamp as string)
    assert.deepEqual(times, [...times].sort())
    const { text: stored } = await connections[0]!.send('GET', `/api/v1/events/${jobId}/s${i}-17/export`)
    assert.ok(stored.includes('"v17"'), stored)
  }
})

test('a key that was deleted works on no thread any more', { skip }, async () => {
  const own = await makeJob(client)
  const stranger = client.withKey(own.key)
  const others = Array.from({ length: CONNECTIONS }, () => new Connection(stranger))
  const event = JSON.stringify({ job_id: own.jobId, raw_body: { rule: 'a' } })
  for (let i = 0; i < 5; i++)
    for (const each of others) assert.equal((await each.send('POST', '/api/v1/events/', event)).status, 201)
  const title = encodeURIComponent(own.title.replace('Job ', ''))
  const changed = await client.delete(`/api/v2/resources?resource_type=api_key&title=${title}&force=true`)
  assert.equal(changed.status, 200, changed.text)
  for (const each of others) assert.equal((await each.send('POST', '/api/v1/events/', event)).status, 401)
  for (const each of others) each.close()
})

test('a large body, a refusal and a missing event are answered as by one thread', { skip }, async () => {
  for (const connection of connections) {
    assert.equal((await connection.send('POST', '/api/v1/events/', eventOf('x'.repeat(3_000_000)))).status, 201)
    assert.equal((await connection.send('POST', '/api/v1/events/', '{"job_id":99999,"raw_body":{}}')).status, 404)
    assert.equal((await connection.send('POST', '/api/v1/events/', '{')).status, 400)
    assert.equal((await connection.send('GET', `/api/v1/events/${jobId}/nothing`)).status, 404)
    const vote = await connection.send('PUT', `/api/v1/events/${jobId}/nothing/feedback`, '{"feedback":"Drop"}')
    assert.equal(vote.status, 404)
  }
})

test('requests of all threads are counted', { skip }, async () => {
  const count = async (): Promise<number> => {
    const { text } = await client.get('/metrics')
    const line = /decision_http_requests_total\{method="POST",route="\/api\/v1\/events\/",status="201"\} (\d+)/.exec(
      text,
    )
    return Number(line?.[1] ?? 0)
  }
  const before = await count()
  for (const connection of connections) await connection.send('POST', '/api/v1/events/', eventOf('counted'))
  assert.equal(await count(), before + CONNECTIONS)
})

test('callers have one rate over all threads', { skip }, async () => {
  const limited = await startService({ httpThreads: THREADS, rateLimit: 0.001, rateBurst: 40 })
  try {
    const own = Array.from({ length: CONNECTIONS }, () => new Connection(limited.client))
    const statuses: number[] = []
    for (let i = 0; i < 20; i++)
      for (const each of own) statuses.push((await each.send('GET', '/api/v1/events/1/nothing')).status)
    for (const each of own) each.close()
    const admitted = statuses.filter((status) => status === 404).length
    assert.ok(admitted >= 40 && admitted < 60, `${admitted} were admitted`)
    assert.ok(statuses.every((status) => status === 404 || status === 429))
  } finally {
    await limited.close()
  }
})

test('a drain answers what is under way and refuses the rest on every thread', { skip }, async () => {
  const own = await startService({ httpThreads: THREADS })
  const { jobId: id } = await makeJob(own.client)
  const lines = Array.from({ length: 2_000 }, (_, i) => `${JSON.stringify({ job_id: id, raw_body: { i } })}\n`).join('')
  const senders = Array.from({ length: CONNECTIONS }, () => new Connection(own.client))
  const streams = senders.map((each) => each.send('POST', '/api/v1/events/_bulk', lines))
  await eventually(
    async () => (await own.client.get(`/api/v1/jobs/${id}`)).body.processed_documents_count as number,
    (stored) => stored > 0,
  )
  await own.drain()
  const answers = await Promise.allSettled(streams)
  const answered = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value.text.trim().split('\n') : []))
  assert.ok(answered.every((line) => JSON.parse(line).status === 'OK'))
  await own.close()
  for (const each of senders) each.close()
})
