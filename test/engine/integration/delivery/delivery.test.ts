import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../../../engine/integration/bounds.js'
import type { Outcome, Outgoing, Sink } from '../../../../engine/integration/contract.js'
import { Delivery } from '../../../../engine/integration/delivery/delivery.js'
import type { Feed, FeedItem, FeedPiece } from '../../../../engine/integration/delivery/feed.js'
import { Ledger, ledgerTables, type Place, type StepId } from '../../../../engine/integration/delivery/ledger.js'
import { Circuit, type Pace } from '../../../../engine/integration/delivery/pace.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { eventually } from '../../../support/client.js'
import { decided } from '../../../support/outgoing.js'

const step: StepId = { jobId: 1, integrationId: 2, role: 'output' }
const pace: Pace = { baseMs: 1, capMs: 2, eventBaseMs: 1, eventCapMs: 2, lookMs: 1, idleMs: 5 }

/** Events 1 to `last`, as in a shard. Some may be deleted. */
class Events implements Feed {
  last = 0
  readonly gone = new Set<number>()

  look(after: Place, eventsMax: number): FeedPiece {
    const end = Math.min(this.last, after.events + eventsMax)
    const items = Array.from({ length: end - after.events }, (_, at) => this.one(after.events + at + 1, 0)).filter(
      (item) => item !== null,
    )
    return { items, place: { ...after, events: end }, more: end < this.last }
  }

  has(eventMicros: number): boolean {
    return !this.gone.has(eventMicros)
  }

  one(eventMicros: number, changeMicros: number): FeedItem | null {
    if (this.gone.has(eventMicros)) return null
    return { eventMicros, changeMicros, id: `1.${eventMicros}`, reason: 'decided', event: decided(String(eventMicros)) }
  }
}

class Counterpart implements Sink {
  readonly batchMax = 10
  readonly taken: number[] = []
  outcome: (event: number) => Outcome = () => ({ outcome: 'delivered' })

  async deliver(items: readonly Outgoing[], _signal: AbortSignal): Promise<Outcome[]> {
    await new Promise((resolve) => setImmediate(resolve))
    return items.map(({ event }) => {
      const outcome = this.outcome(Number(event.eventId))
      if (outcome.outcome === 'delivered') this.taken.push(Number(event.eventId))
      return outcome
    })
  }

  async close(): Promise<void> {}
}

const away: Outcome = { outcome: 'failed', reason: 'away', suspect: false }
const broken: Outcome = { outcome: 'failed', reason: 'oops', suspect: true }
const refused: Outcome = { outcome: 'refused', reason: 'never' }

class Bench {
  readonly environment = new MemoryEnvironment(ledgerTables)
  readonly ledger = new Ledger(this.environment, (_, error) => assert.fail(error as Error))
  readonly feed = new Events()
  readonly sink = new Counterpart()
  readonly failures: unknown[] = []
  readonly pace: Pace
  isCurrent = true
  circuit = new Circuit(pace, () => 0.5)
  delivery: Delivery

  constructor(more: Partial<Pace> = {}) {
    this.pace = { ...pace, ...more }
    this.delivery = this.open()
  }

  open(): Delivery {
    const { ledger, feed, sink, circuit, pace } = this
    const nowMs = (): number => Math.floor(performance.now())
    this.delivery = new Delivery({
      step,
      start: { events: 0, change: 0, changeEvent: 0 },
      feed,
      sink,
      ledger,
      circuit,
      pace,
      nowMs,
      random: () => 0.5,
      isCurrent: () => this.isCurrent,
      failed: (_, error) => this.failures.push(error),
    })
    this.delivery.start()
    return this.delivery
  }

  /** As after a crash: unwritten changes of the ledger are lost. */
  async restart(): Promise<void> {
    await this.delivery.close()
    this.circuit = new Circuit(pace, () => 0.5)
    this.open()
  }

  until(holds: () => boolean): Promise<unknown> {
    return eventually(
      async () => holds(),
      (value) => value,
    )
  }

  async close(): Promise<void> {
    await this.delivery.close()
    assert.deepEqual(this.failures, [])
  }
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1)

test('every event is delivered once, in order, from the place where the step began', async () => {
  const bench = new Bench()
  bench.feed.last = 35
  bench.delivery.wake()
  await bench.until(() => bench.sink.taken.length === 35)
  assert.deepEqual(bench.sink.taken, upTo(35))
  await bench.restart()
  bench.feed.last = 40
  bench.delivery.wake()
  await bench.until(() => bench.sink.taken.length >= 40)
  assert.deepEqual(bench.sink.taken, upTo(40))
  await bench.close()
})

test('while the counterpart is unreachable nothing is given up, and no event becomes a dead letter', async () => {
  const bench = new Bench()
  let tries = 0
  bench.sink.outcome = () => {
    tries++
    return away
  }
  bench.feed.last = 25
  await bench.until(() => tries > 3 * bounds.headAttemptsMax && bench.delivery.status().state === 'open')
  assert.deepEqual([bench.delivery.deadLetters.waiting, bench.delivery.deadLetters.dead], [0, 0])
  bench.sink.outcome = () => ({ outcome: 'delivered' })
  await bench.until(() => bench.sink.taken.length === 25)
  assert.deepEqual(bench.sink.taken, upTo(25))
  await bench.until(() => bench.delivery.status().state === 'running')
  await bench.close()
})

test('a refused event is dead at once; the others are delivered', async () => {
  const bench = new Bench()
  bench.sink.outcome = (event) => (event === 7 ? refused : { outcome: 'delivered' })
  bench.feed.last = 20
  await bench.until(() => bench.sink.taken.length === 19)
  assert.deepEqual([bench.delivery.deadLetters.dead, bench.ledger.deadLetter(step, 7)?.reason], [1, 'never'])
  bench.sink.outcome = () => ({ outcome: 'delivered' })
  assert.equal(bench.delivery.sendAgain(null), 1)
  await bench.until(() => bench.sink.taken.includes(7))
  assert.deepEqual([bench.delivery.deadLetters.dead, bench.ledger.deadLetter(step, 7)], [0, null])
  await bench.close()
})

test('an event that keeps failing while others succeed is retried on its own, and is dead after its last try', async () => {
  const bench = new Bench()
  let tries = 0
  bench.sink.outcome = (event) => {
    if (event !== 3) return { outcome: 'delivered' }
    tries++
    return broken
  }
  bench.feed.last = 9
  await bench.until(() => bench.delivery.deadLetters.dead === 1)
  assert.equal(tries, bounds.deliveryAttemptsMax)
  assert.deepEqual(
    bench.sink.taken,
    upTo(9).filter((event) => event !== 3),
  )
  assert.equal(bench.delivery.deadLetters.discard(null), 1)
  assert.equal(bench.ledger.deadLetter(step, 3), null)
  await bench.close()
})

test('an event that crashes its counterpart each time does not stop later events', async () => {
  const bench = new Bench()
  bench.feed.last = 1
  bench.sink.outcome = (event) => (event === 1 ? broken : { outcome: 'delivered' })
  await bench.until(() => bench.delivery.deadLetters.waiting + bench.delivery.deadLetters.dead === 1)
  bench.feed.last = 5
  await bench.until(() => bench.sink.taken.length === 4)
  await bench.close()
})

test('if a round stops half way, the rest is tried again in its place', async () => {
  const bench = new Bench()
  let quota = 4
  bench.sink.outcome = () => (quota-- > 0 ? { outcome: 'delivered' } : { ...away, retryAfterMs: 5 })
  bench.feed.last = 10
  await bench.until(() => bench.sink.taken.length === 4)
  quota = 100
  await bench.until(() => bench.sink.taken.length === 10)
  assert.deepEqual(bench.sink.taken, upTo(10))
  assert.equal(bench.delivery.deadLetters.waiting, 0)
  await bench.close()
})

test('the dead letter of a deleted event is not delivered', async () => {
  const bench = new Bench()
  let tries = 0
  // Gone by the time that its letter is tried.
  bench.sink.outcome = (event) => {
    if (event !== 2) return { outcome: 'delivered' }
    tries++
    bench.feed.gone.add(2)
    return broken
  }
  bench.feed.last = 3
  await bench.until(() => bench.sink.taken.length === 2 && bench.delivery.deadLetters.waiting === 0)
  assert.deepEqual([tries, bench.delivery.deadLetters.dead, bench.sink.taken], [1, 0, [1, 3]])
  await bench.close()
})

test('an event that was deleted while the counterpart was unreachable is not delivered later', async () => {
  const bench = new Bench()
  let tries = 0
  bench.sink.outcome = () => {
    for (const event of [1, 4, ...upTo(25).slice(6)]) bench.feed.gone.add(event)
    return ++tries <= bench.sink.batchMax ? away : { outcome: 'delivered' }
  }
  bench.feed.last = 25
  await bench.until(() => bench.delivery.place.events === 25)
  assert.deepEqual(bench.sink.taken, [2, 3, 5, 6])
  await bench.close()
})

test('a dead letter is dropped with its event: on the deletion, at the next start, and during its delivery', async () => {
  const bench = new Bench()
  const all = (): (string | undefined)[] => upTo(3).map((event) => bench.ledger.deadLetter(step, event)?.state)
  bench.sink.outcome = (event) => {
    if (event === 3) bench.feed.gone.add(3)
    return refused
  }
  bench.feed.last = 3
  await bench.until(() => bench.delivery.place.events === 3)
  assert.deepEqual([all(), bench.delivery.deadLetters.dead], [['dead', 'dead', undefined], 2])
  bench.feed.gone.add(1)
  bench.delivery.deadLetters.read()
  assert.deepEqual([all(), bench.delivery.deadLetters.dead], [[undefined, 'dead', undefined], 1])
  bench.feed.gone.add(2)
  await bench.restart()
  assert.deepEqual([all(), bench.delivery.deadLetters.dead], [[undefined, undefined, undefined], 0])
  await bench.close()
})

test('a step that was changed sends nothing, skips nothing, and gives nothing up', async () => {
  // Not all tries of an event are over before it is looked at.
  const bench = new Bench({ eventBaseMs: 1_000, eventCapMs: 1_000 })
  bench.sink.outcome = (event) => (event === 1 ? broken : { outcome: 'delivered' })
  bench.feed.last = 2
  await bench.until(() => bench.delivery.deadLetters.waiting === 1)
  bench.isCurrent = false
  bench.feed.last = 9
  bench.delivery.wake()
  await bench.until(() => bench.delivery.isIdle)
  await new Promise((resolve) => setTimeout(resolve, 4 * pace.idleMs))
  assert.deepEqual([bench.sink.taken, bench.delivery.place.events, bench.delivery.deadLetters.waiting], [[2], 2, 1])
  bench.isCurrent = true
  bench.sink.outcome = () => ({ outcome: 'delivered' })
  await bench.until(() => bench.sink.taken.length === 9)
  await bench.close()
})

test('a step that is closed while it tests its counterpart releases the circuit breaker for the next step', async () => {
  const bench = new Bench()
  const answer = bench.sink.deliver.bind(bench.sink)
  bench.sink.outcome = () => away
  bench.feed.last = 3
  await bench.until(() => bench.delivery.status().state === 'open')
  let query = 0
  bench.sink.deliver = (items, signal) => {
    query++
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(items.map(() => away))))
  }
  await bench.until(() => query > 0)
  await bench.delivery.close()
  bench.sink.deliver = answer
  bench.sink.outcome = () => ({ outcome: 'delivered' })
  bench.open()
  await bench.until(() => bench.sink.taken.length === 3)
  await bench.close()
})

test('with random failures and restarts, every event is delivered or a dead letter', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    const random = new SeededRandom(seed)
    const bench = new Bench()
    bench.sink.outcome = (event) => {
      const roll = random.below(20)
      if (event % 17 === 0) return refused
      return roll === 0 ? broken : roll === 1 ? away : { outcome: 'delivered' }
    }
    for (let i = 0; i < 10; i++) {
      bench.feed.last += random.below(40)
      bench.delivery.wake()
      await new Promise((resolve) => setTimeout(resolve, random.below(8)))
      await bench.restart()
    }
    bench.sink.outcome = (event) => (event % 17 === 0 ? refused : { outcome: 'delivered' })
    const { last } = bench.feed
    await bench.until(() => bench.delivery.place.events === last && bench.delivery.deadLetters.waiting === 0)
    const missing = upTo(last).filter(
      (event) => !bench.sink.taken.includes(event) && bench.ledger.deadLetter(step, event)?.state !== 'dead',
    )
    assert.deepEqual(missing, [], `seed ${seed}`)
    await bench.close()
  }
})

test('a bug in a sink is reported, and the step continues', async () => {
  const bench = new Bench()
  let broke = false
  bench.sink.outcome = () => {
    if (broke) return { outcome: 'delivered' }
    broke = true
    throw new Error('a bug')
  }
  bench.feed.last = 3
  await bench.until(() => bench.sink.taken.length === 3)
  assert.equal(bench.failures.length, 1)
  bench.failures.length = 0
  await bench.close()
})
