import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessagePort } from 'node:worker_threads'
import { Refusal, type EventView, type IngestReceiver, type JobHandle, type Principal } from '../../../engine/index.js'
import { SeededRandom } from '../../../engine/rng.js'
import type { App } from '../../../server/app.js'
import { ByteRing, ringMemory } from '../../../server/threads/byte-ring.js'
import { MainLane } from '../../../server/threads/main-lane.js'
import { asks } from '../../../server/threads/records.js'
import { SharedState } from '../../../server/threads/shared-state.js'
import { ThreadLane } from '../../../server/threads/thread-lane.js'
import { eventually } from '../../support/client.js'

const SECRET = 'secret'
const labels: JobHandle['labels'] = [{ id: 'label_0', name: 'Escalate', hexColor: '#ffffff' }]
const job: JobHandle = { id: 1, title: 'A', status: 'STARTED', labels }

/** Both ends of a lane in one thread, over an engine that does as the test says. */
function lanes(ingest: (body: string, receiver: IngestReceiver) => void, ringBytes = 64 * 1024) {
  const [requests, answers] = [ringMemory(ringBytes), ringMemory(ringBytes)]
  const principal: Principal = { kind: 'management', name: 'm', scopes: new Set(['write:events']) }
  const known = { works: true }
  const service = {
    authenticate: () => (known.works ? principal : null),
    jobForPosts: () => job,
    // biome-ignore lint/complexity/useMaxParams: as DecisionService.
    ingest: (_job: JobHandle, _id: string | null, _in: boolean, body: Uint8Array, receiver: IngestReceiver) =>
      ingest(Buffer.from(body).toString(), receiver),
    monitor: { log: () => ({ error() {} }) },
  }
  const app = { service, rateLimit: null, keyHeader: 'x' } as unknown as App
  const shared = new SharedState()
  const wake = (other: () => void): MessagePort =>
    ({
      postMessage: (message: unknown) =>
        setImmediate(() => {
          const { t, body } = message as { t?: string; body?: Uint8Array }
          if (t === 'large') main.putLarge(body!)
          else other()
        }),
    }) as unknown as MessagePort
  const thread = new ThreadLane(
    new ByteRing(requests),
    new ByteRing(answers),
    wake(() => main.take()),
    shared,
  )
  const main: MainLane = new MainLane(
    app,
    new ByteRing(requests),
    new ByteRing(answers),
    wake(() => thread.take()),
    shared,
  )
  return { thread, main, known }
}

async function ready(thread: ThreadLane): Promise<void> {
  thread.learn(SECRET)
  await eventually(
    async () => thread.principalOf(SECRET),
    (principal) => principal !== null,
  )
}

function answerOf(receiver: IngestReceiver, micros: number): void {
  const answer = { micros, pending: false, label: 0, confidence: 9_000, outlier: false } as const
  receiver.answered!({ ...answer, bucketState: 'new', autonomy: 'none', stored: 'new' }, null)
}

test('lines that find no room in a mailbox keep the order of their stream, and none is refused', async () => {
  const random = new SeededRandom(5)
  const applied: string[] = []
  const { thread, main } = lanes((body, receiver) => {
    if (random.below(3) === 0) throw new Refusal('mailbox_full', 'full')
    applied.push(body)
    answerOf(receiver, 1_700_000_000_000_000 + applied.length)
  })
  await ready(thread)
  const seen: EventView[] = []
  const receiver: IngestReceiver = {
    ingested: (view) => void seen.push(view),
    refused: (refusal) => assert.fail(refusal.message),
  }
  const lines = { kind: asks.line, secret: SECRET, job: 1, eventId: null } as const
  for (let i = 0; i < 300; i++) {
    for (const stream of [1, 2]) thread.post({ ...lines, stream, body: Buffer.from(`${stream}-${i}`) }, receiver)
    if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await eventually(
    async () => seen.length,
    (count) => count === 600,
  )
  for (const stream of [1, 2])
    assert.deepEqual(
      applied.filter((body) => body.startsWith(`${stream}-`)),
      Array.from({ length: 300 }, (_, i) => `${stream}-${i}`),
    )
  assert.equal(seen[0]!.resultLabel, 'Escalate')
  main.close()
})

test('answers that find no room in the ring wait, and none is lost', async () => {
  const waiting: IngestReceiver[] = []
  const { thread, main } = lanes((_body, receiver) => void waiting.push(receiver), 4_096)
  await ready(thread)
  let answered = 0
  const receiver: IngestReceiver = { ingested: () => void answered++, refused: () => assert.fail('it was refused') }
  const single = { kind: asks.event, secret: SECRET, job: 1, stream: 0, eventId: 'e', body: Buffer.from('{}') } as const
  for (let i = 0; i < 1_000; i++) {
    thread.post(single, receiver)
    if (i % 20 === 0) {
      await new Promise((resolve) => setImmediate(resolve))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  await eventually(
    async () => waiting.length,
    (count) => count === 1_000,
  )
  for (const [i, each] of waiting.entries()) answerOf(each, 1_700_000_000_000_000 + i)
  await eventually(
    async () => answered,
    (count) => count === 1_000,
  )
  main.close()
})

test('a body that is larger than the ring comes in its order', async () => {
  const bodies: number[] = []
  const { thread, main } = lanes((body, receiver) => {
    bodies.push(body.length)
    answerOf(receiver, 1_700_000_000_000_000 + bodies.length)
  }, 4_096)
  await ready(thread)
  const receiver: IngestReceiver = { ingested() {}, refused: () => assert.fail('it was refused') }
  const line = { kind: asks.line, secret: SECRET, job: 1, stream: 1, eventId: null } as const
  const sizes = [10, 50_000, 20, 30_000, 40_000, 30]
  for (const size of sizes) thread.post({ ...line, body: Buffer.alloc(size, 0x20) }, receiver)
  await eventually(
    async () => bodies.length,
    (count) => count === sizes.length,
  )
  assert.deepEqual(bodies, sizes)
  main.close()
})

test('a key that no longer works is refused by the main thread and forgotten by its own', async () => {
  const { thread, main, known } = lanes((_body, receiver) => answerOf(receiver, 1_700_000_000_000_000))
  await ready(thread)
  known.works = false
  const refused: string[] = []
  const receiver: IngestReceiver = {
    ingested: () => assert.fail('it was served'),
    refused: ({ code }) => void refused.push(code),
  }
  thread.post({ kind: asks.event, secret: SECRET, job: 1, stream: 0, eventId: null, body: Buffer.from('{}') }, receiver)
  await eventually(
    async () => refused,
    (codes) => codes.length === 1,
  )
  assert.deepEqual([refused, thread.principalOf(SECRET)], [['unauthorized'], null])
  main.close()
})
