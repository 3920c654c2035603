import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bounds } from '../../../../engine/integration/bounds.js'
import type { Outcome, Outgoing, Sink } from '../../../../engine/integration/contract.js'
import { Delivery } from '../../../../engine/integration/delivery/delivery.js'
import type { Feed, FeedItem, FeedPiece } from '../../../../engine/integration/delivery/feed.js'
import { Ledger, ledgerTables, type StepProgress, type StepId } from '../../../../engine/integration/delivery/ledger.js'
import { Circuit, type Pace } from '../../../../engine/integration/delivery/pace.js'
import type { Summary, Waiting } from '../../../../engine/integration/delivery/tally.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { MemoryEnvironment } from '../../../../engine/store/memory-store.js'
import { eventually } from '../../../support/client.js'
import { decided } from '../../../support/outgoing.js'

const step: StepId = { jobId: 1, integrationId: 2, role: 'output' }
const pace: Pace = {
  baseMs: 1,
  capMs: 2,
  eventBaseMs: 1,
  eventCapMs: 2,
  lookMs: 1,
  idleMs: 5,
  haltAfterMs: 20,
  haltPausesMs: [60_000],
}

/** How many events one tally reads. */
const TALLIED = 40

/** Events 1 to `last`, as in a shard. Some may be deleted. */
class Events implements Feed {
  last = 0
  readonly gone = new Set<number>()

  look(after: StepProgress, eventsMax: number): FeedPiece {
    const end = Math.min(this.last, after.events + eventsMax)
    const items = Array.from({ length: end - after.events }, (_, at) => this.one(after.events + at + 1, 0)).filter(
      (item) => item !== null,
    )
    return { items, place: { ...after, events: end }, more: end < this.last }
  }

  tally(after: StepProgress, count: (waiting: Waiting) => void): Pick<FeedPiece, 'place' | 'more'> {
    const end = Math.min(this.last, after.events + TALLIED)
    for (let event = after.events + 1; event <= end; event++)
      if (!this.gone.has(event))
        count({ eventMicros: event, changeMicros: 0, label: event % 3 === 0 ? 'Drop' : 'Keep' })
    return { place: { ...after, events: end }, more: end < this.last }
  }

  summaryItem(summary: Summary): FeedItem {
    const event = decided(`${summary.fromMicros}-${summary.throughMicros}: ${summary.count}`)
    return { eventMicros: summary.throughMicros, changeMicros: 0, id: 's', reason: 'decided', event, summary }
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
  sumsUpOver = 0
  readonly taken: number[] = []
  /** Everything that got through, in order: ids, and for a summary what it tells of. */
  readonly told: string[] = []
  outcome: (event: number) => Outcome = () => ({ outcome: 'delivered' })
  outcomeOfSummary: Outcome = { outcome: 'delivered' }

  async deliver(items: readonly Outgoing[], _signal: AbortSignal): Promise<Outcome[]> {
    await new Promise((resolve) => setImmediate(resolve))
    return items.map(({ event, summary }) => {
      const outcome = summary === undefined ? this.outcome(Number(event.eventId)) : this.outcomeOfSummary
      if (outcome.outcome !== 'delivered') return outcome
      this.told.push(event.eventId)
      if (summary === undefined) this.taken.push(Number(event.eventId))
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
  /** How much later it is than the times of events say. */
  laterMs = 0
  circuit = new Circuit(pace, () => 0.5)
  delivery: Delivery

  constructor(more: Partial<Pace> = {}, sumsUpOver = 0) {
    this.pace = { ...pace, ...more }
    this.sink.sumsUpOver = sumsUpOver
    this.delivery = this.open()
  }

  open(): Delivery {
    const { ledger, feed, sink, circuit, pace } = this
    const nowMs = (): number => Math.floor(performance.now()) + this.laterMs
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

const revoked: Outcome = { outcome: 'failed', reason: 'HTTP 401', suspect: false, lasting: 'for_good' }

test('a counterpart that says that nothing will get through is asked once; nothing is lost, and a person lets it go on', async () => {
  const bench = new Bench()
  let tries = 0
  bench.sink.outcome = () => {
    tries++
    return revoked
  }
  bench.feed.last = 25
  bench.delivery.wake()
  await bench.until(() => bench.delivery.status().state === 'stopped')
  for (let i = 0; i < 50; i++) {
    bench.delivery.wake()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { reason, halted, waiting, dead } = bench.delivery.status()
  assert.deepEqual([tries, reason, waiting, dead], [10, 'HTTP 401', 0, 0])
  assert.ok(halted?.isStopped && halted.nextMs !== null)
  bench.sink.outcome = () => ({ outcome: 'delivered' })
  bench.feed.last = 40
  assert.equal(bench.delivery.resume(), true)
  await bench.until(() => bench.sink.taken.length === 40)
  assert.deepEqual([bench.sink.taken, bench.delivery.status().halted], [upTo(40), null])
  assert.equal(bench.delivery.resume(), false)
  await bench.close()
})

test('a stopped step tries again by itself, with one event', async () => {
  const bench = new Bench({ haltPausesMs: [1, 1, 1, 1, 1] })
  const tried: number[] = []
  bench.sink.outcome = (event) => {
    tried.push(event)
    return tried.length < 13 ? revoked : { outcome: 'delivered' }
  }
  bench.feed.last = 10
  bench.delivery.wake()
  await bench.until(() => bench.sink.taken.length === 10)
  assert.deepEqual(tried.slice(0, 13), [...upTo(10), 1, 1, 1])
  await bench.close()
})

test('an answer that may pass stops a step only when it stays', async () => {
  const bench = new Bench()
  bench.sink.outcome = () => ({ outcome: 'failed', reason: 'HTTP 404', suspect: false, lasting: 'set_up' })
  bench.feed.last = 1
  bench.delivery.wake()
  await bench.until(() => bench.delivery.status().halted !== null)
  assert.equal(bench.delivery.status().halted?.isStopped, false)
  await bench.until(() => bench.delivery.status().state === 'stopped')
  await bench.close()
})

/** A sink that people read, and that wants three one by one. */
function chat(): Bench {
  return new Bench({}, 3)
}

test('after a pause the newest come first, and the others as one message with their number and their times', async () => {
  const bench = chat()
  bench.sink.outcome = () => away
  bench.sink.outcomeOfSummary = away
  bench.feed.last = 100
  await bench.until(() => bench.delivery.status().state === 'open')
  bench.feed.last = 3_600
  const tried = new Set<number>()
  bench.sink.outcome = (event) => {
    tried.add(event)
    return away
  }
  await bench.until(() => tried.has(3_600))
  bench.sink.outcome = () => ({ outcome: 'delivered' })
  bench.sink.outcomeOfSummary = { outcome: 'delivered' }
  await bench.until(() => bench.delivery.place.events === 3_600)
  assert.deepEqual(bench.sink.told, ['3600', '3599', '3598', '1-3597: 3597'])
  const { delivered, summedUp, waiting, dead } = bench.delivery.status()
  assert.deepEqual([delivered, summedUp, waiting, dead], [3_600, 3_597, 0, 0])
  bench.feed.last = 3_602
  bench.delivery.wake()
  await bench.until(() => bench.delivery.place.events === 3_602)
  assert.deepEqual(bench.sink.told.slice(4), ['3601', '3602'])
  await bench.close()
})

test('as many as are wanted one by one are not summed up', async () => {
  const bench = chat()
  bench.sink.outcome = () => away
  bench.sink.outcomeOfSummary = away
  bench.feed.last = 3
  await bench.until(() => bench.delivery.status().state === 'open')
  bench.sink.outcome = () => ({ outcome: 'delivered' })
  bench.sink.outcomeOfSummary = { outcome: 'delivered' }
  await bench.until(() => bench.delivery.place.events === 3)
  assert.deepEqual(bench.sink.told, ['1', '2', '3'])
  await bench.close()
})

test('a chat that takes a few at a time gets each event once: by itself, or in one message', async () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const random = new SeededRandom(seed)
    const bench = chat()
    const taken = (): Outcome => (random.nextFloat() < 0.3 ? { outcome: 'delivered' } : away)
    bench.sink.outcome = taken
    Object.defineProperty(bench.sink, 'outcomeOfSummary', { get: taken })
    for (const last of [7, 60, 61, 400]) {
      bench.feed.last = last
      bench.delivery.wake()
      await new Promise((resolve) => setTimeout(resolve, 3))
    }
    await bench.until(() => bench.delivery.place.events === 400)
    const summed = bench.sink.told.reduce((sum, id) => sum + Number(/: (\d+)$/.exec(id)?.[1] ?? 0), 0)
    assert.equal(new Set(bench.sink.taken).size, bench.sink.taken.length, `seed ${seed}`)
    assert.equal(summed + bench.sink.taken.length, 400, `seed ${seed}: ${bench.sink.told.join()}`)
    await bench.close()
  }
})

test('if a message about many is refused, each is sent by itself, and none is lost or told twice', async () => {
  const bench = chat()
  bench.sink.outcome = () => away
  bench.sink.outcomeOfSummary = away
  bench.feed.last = 50
  await bench.until(() => bench.delivery.status().state === 'open')
  bench.sink.outcome = () => ({ outcome: 'delivered' })
  bench.sink.outcomeOfSummary = refused
  await bench.until(() => bench.delivery.place.events === 50)
  assert.deepEqual(bench.sink.taken, [50, 49, 48, ...upTo(47)])
  await bench.close()
})

test('a crash before the message about many was sent loses none of them', async () => {
  const bench = chat()
  bench.sink.outcome = () => away
  bench.sink.outcomeOfSummary = away
  bench.feed.last = 50
  await bench.until(() => bench.delivery.status().state === 'open')
  bench.sink.outcome = () => ({ outcome: 'delivered' })
  await bench.until(() => bench.sink.told.length === 3)
  bench.laterMs = 600_000
  await bench.restart()
  bench.sink.outcomeOfSummary = { outcome: 'delivered' }
  await bench.until(() => bench.delivery.place.events === 50)
  assert.deepEqual(bench.sink.told.slice(-4), ['50', '49', '48', '1-47: 47'])
  await bench.close()
})
