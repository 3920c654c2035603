import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../../../engine/integration/bounds.js'
import type { Fate, Outgoing, Sink } from '../../../../engine/integration/contract.js'
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

/** Events 1 to `last`, as a shard would have them; some may be gone by now. */
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
  fate: (event: number) => Fate = () => ({ fate: 'delivered' })

  async deliver(items: readonly Outgoing[], _signal: AbortSignal): Promise<Fate[]> {
    await new Promise((resolve) => setImmediate(resolve))
    return items.map(({ event }) => {
      const fate = this.fate(Number(event.eventId))
      if (fate.fate === 'delivered') this.taken.push(Number(event.eventId))
      return fate
    })
  }

  async close(): Promise<void> {}
}

const away: Fate = { fate: 'failed', reason: 'away', suspect: false }
const broken: Fate = { fate: 'failed', reason: 'oops', suspect: true }
const refused: Fate = { fate: 'refused', reason: 'never' }

class Bench {
  readonly environment = new MemoryEnvironment(ledgerTables)
  readonly ledger = new Ledger(this.environment, (_, error) => assert.fail(error as Error))
  readonly feed = new Events()
  readonly sink = new Counterpart()
  readonly failures: unknown[] = []
  isCurrent = true
  circuit = new Circuit(pace, () => 0.5)
  delivery = this.open()

  open(): Delivery {
    const { ledger, feed, sink, circuit } = this
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

  /** As after a crash: what the ledger had not written is lost. */
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

test('while nobody is there nothing is given up, and the event is no letter', async () => {
  const bench = new Bench()
  let tries = 0
  bench.sink.fate = () => {
    tries++
    return away
  }
  bench.feed.last = 25
  await bench.until(() => tries > 3 * bounds.headAttemptsMax && bench.delivery.status().state === 'open')
  assert.deepEqual([bench.delivery.deadLetters.waiting, bench.delivery.deadLetters.dead], [0, 0])
  bench.sink.fate = () => ({ fate: 'delivered' })
  await bench.until(() => bench.sink.taken.length === 25)
  assert.deepEqual(bench.sink.taken, upTo(25))
  await bench.until(() => bench.delivery.status().state === 'running')
  await bench.close()
})

test('an event that is refused is a dead letter at once; the others get through', async () => {
  const bench = new Bench()
  bench.sink.fate = (event) => (event === 7 ? refused : { fate: 'delivered' })
  bench.feed.last = 20
  await bench.until(() => bench.sink.taken.length === 19)
  assert.deepEqual([bench.delivery.deadLetters.dead, bench.ledger.deadLetter(step, 7)?.reason], [1, 'never'])
  bench.sink.fate = () => ({ fate: 'delivered' })
  assert.equal(bench.delivery.sendAgain(null), 1)
  await bench.until(() => bench.sink.taken.includes(7))
  assert.deepEqual([bench.delivery.deadLetters.dead, bench.ledger.deadLetter(step, 7)], [0, null])
  await bench.close()
})

test('an event that fails again and again while others get through is tried by itself, and dies', async () => {
  const bench = new Bench()
  let tries = 0
  bench.sink.fate = (event) => {
    if (event !== 3) return { fate: 'delivered' }
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

test('one event that takes its counterpart down each time does not stop those behind it', async () => {
  const bench = new Bench()
  bench.feed.last = 1
  bench.sink.fate = (event) => (event === 1 ? broken : { fate: 'delivered' })
  await bench.until(() => bench.delivery.deadLetters.waiting + bench.delivery.deadLetters.dead === 1)
  bench.feed.last = 5
  await bench.until(() => bench.sink.taken.length === 4)
  await bench.close()
})

test('of a round that stops half way the rest is tried again in its place', async () => {
  const bench = new Bench()
  let quota = 4
  bench.sink.fate = () => (quota-- > 0 ? { fate: 'delivered' } : { ...away, retryAfterMs: 5 })
  bench.feed.last = 10
  await bench.until(() => bench.sink.taken.length === 4)
  quota = 100
  await bench.until(() => bench.sink.taken.length === 10)
  assert.deepEqual(bench.sink.taken, upTo(10))
  assert.equal(bench.delivery.deadLetters.waiting, 0)
  await bench.close()
})

test('a letter whose event is gone needs no delivery', async () => {
  const bench = new Bench()
  let tries = 0
  // Gone by the time that its letter is tried.
  bench.sink.fate = (event) => {
    if (event !== 2) return { fate: 'delivered' }
    tries++
    bench.feed.gone.add(2)
    return broken
  }
  bench.feed.last = 3
  await bench.until(() => bench.sink.taken.length === 2 && bench.delivery.deadLetters.waiting === 0)
  assert.deepEqual([tries, bench.delivery.deadLetters.dead, bench.sink.taken], [1, 0, [1, 3]])
  await bench.close()
})

test('what went while nobody was there is not told when somebody is', async () => {
  const bench = new Bench()
  let tries = 0
  bench.sink.fate = () => {
    for (const event of [1, 4, ...upTo(25).slice(6)]) bench.feed.gone.add(event)
    return ++tries <= bench.sink.batchMax ? away : { fate: 'delivered' }
  }
  bench.feed.last = 25
  await bench.until(() => bench.delivery.place.events === 25)
  assert.deepEqual(bench.sink.taken, [2, 3, 5, 6])
  await bench.close()
})

test('a dead letter goes with its event: when that is told, at the next start, and where it goes while it is sent', async () => {
  const bench = new Bench()
  const all = (): (string | undefined)[] => upTo(3).map((event) => bench.ledger.deadLetter(step, event)?.state)
  bench.sink.fate = (event) => {
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

test('a step that is set up otherwise tells nothing, passes nothing, and gives nothing up', async () => {
  const bench = new Bench()
  bench.sink.fate = (event) => (event === 1 ? broken : { fate: 'delivered' })
  bench.feed.last = 2
  await bench.until(() => bench.delivery.deadLetters.waiting === 1)
  bench.isCurrent = false
  bench.feed.last = 9
  bench.delivery.wake()
  await bench.until(() => bench.delivery.isIdle)
  await new Promise((resolve) => setTimeout(resolve, 4 * pace.idleMs))
  assert.deepEqual([bench.sink.taken, bench.delivery.place.events, bench.delivery.deadLetters.waiting], [[2], 2, 1])
  bench.isCurrent = true
  bench.sink.fate = () => ({ fate: 'delivered' })
  await bench.until(() => bench.sink.taken.length === 9)
  await bench.close()
})

test('a step that is closed while it finds out whether its counterpart is back leaves the breaker to the next step', async () => {
  const bench = new Bench()
  const answer = bench.sink.deliver.bind(bench.sink)
  bench.sink.fate = () => away
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
  bench.sink.fate = () => ({ fate: 'delivered' })
  bench.open()
  await bench.until(() => bench.sink.taken.length === 3)
  await bench.close()
})

test('whatever fails and restarts at random, every event is taken or is a letter', async () => {
  for (let seed = 1; seed <= 3; seed++) {
    const random = new SeededRandom(seed)
    const bench = new Bench()
    bench.sink.fate = (event) => {
      const roll = random.below(20)
      if (event % 17 === 0) return refused
      return roll === 0 ? broken : roll === 1 ? away : { fate: 'delivered' }
    }
    for (let i = 0; i < 10; i++) {
      bench.feed.last += random.below(40)
      bench.delivery.wake()
      await new Promise((resolve) => setTimeout(resolve, random.below(8)))
      await bench.restart()
    }
    bench.sink.fate = (event) => (event % 17 === 0 ? refused : { fate: 'delivered' })
    const { last } = bench.feed
    await bench.until(() => bench.delivery.place.events === last && bench.delivery.deadLetters.waiting === 0)
    const missing = upTo(last).filter(
      (event) => !bench.sink.taken.includes(event) && bench.ledger.deadLetter(step, event)?.state !== 'dead',
    )
    assert.deepEqual(missing, [], `seed ${seed}`)
    await bench.close()
  }
})

test('a bug in a sink is told, and the step goes on', async () => {
  const bench = new Bench()
  let broke = false
  bench.sink.fate = () => {
    if (broke) return { fate: 'delivered' }
    broke = true
    throw new Error('a bug')
  }
  bench.feed.last = 3
  await bench.until(() => bench.sink.taken.length === 3)
  assert.equal(bench.failures.length, 1)
  bench.failures.length = 0
  await bench.close()
})
