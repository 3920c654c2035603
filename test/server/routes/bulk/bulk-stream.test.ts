/** The stream against an engine that is busy more often than not. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openEngine, Refusal, type DecisionService, type Engine } from '../../../../engine/index.js'
import { Server } from '../../../../server/server.js'
import { Client, makeJob } from '../../../support/client.js'
import { MANAGEMENT_KEY } from '../../../support/service.js'

/** The real engine, with a mailbox that is full whenever `isFull` says so. */
function cramped(engine: Engine, isFull: () => boolean): DecisionService {
  const handler: ProxyHandler<Engine> = {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      return (...given: unknown[]): unknown => {
        if (property === 'ingest' && isFull()) throw new Refusal('mailbox_full', 'busy')
        return Reflect.apply(value, target, given)
      }
    },
  }
  return new Proxy(engine, handler)
}

let dir: string
let engine: Engine
let server: Server
let client: Client
let jobId: number
let isFull = (): boolean => false

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'decision-service-cramped-'))
  engine = await openEngine({
    dataDir: dir,
    name: 'service',
    passwordCost: 10,
    shards: 1,
    threads: 1,
    bootstrapKey: MANAGEMENT_KEY,
  })
  const service = cramped(engine, () => isFull())
  server = await Server.start(service, { host: '127.0.0.1', port: 0, emptyErrorMessage: false })
  client = new Client(`http://127.0.0.1:${server.port}`, MANAGEMENT_KEY)
  jobId = (await makeJob(client)).jobId
})
after(async () => {
  await server.drain(5_000)
  await engine.close()
  await server.close()
  await rm(dir, { recursive: true, force: true })
})

const lines = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => JSON.stringify({ job_id: jobId, event_id: `${name}-${i}`, raw_body: { i } }))

test('a line that the mailbox had no room for is tried again, and no line is answered busy', async () => {
  let state = 1
  isFull = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 < 0.6
  }
  const results = await client.bulk(lines('busy', 300).join('\n'))
  assert.deepEqual(
    results.map((result) => [result.event_id, result.status]),
    Array.from({ length: 300 }, (_, i) => [`busy-${i}`, 'OK']),
  )
})

test('a mailbox that is full for a while holds the stream, which then goes on', async () => {
  let calls = 0
  isFull = () => calls++ > 100 && calls < 150
  const results = await client.bulk(lines('held', 500).join('\n'))
  assert.equal(results.filter(({ status }) => status === 'OK').length, 500)
})

test('a single event is answered 429 with a time to wait', async () => {
  isFull = () => true
  const answer = await client.post('/api/v1/events/', { job_id: jobId, raw_body: {} })
  assert.equal(answer.status, 429)
  assert.equal(answer.headers.get('retry-after'), '1')
  assert.deepEqual(answer.body, { error: 'busy' })
})
