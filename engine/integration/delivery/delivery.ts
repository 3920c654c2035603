/**
 * One step that takes events out: from its place in the stored events to the counterpart, at least once each.
 *
 * Owns: the loop, and what becomes of each fate. Leaves out: letters (dead-letters.ts), where events come from (feed.ts), what is said to the
 * counterpart (contract.ts), when it may be asked (pace.ts), what is kept (ledger.ts).
 *
 * 1. The queue is the store: nothing waits here but one round. Who is slow or dead is behind, and costs nobody anything.
 * 2. The place moves past an event when it was delivered, or when a letter says that it was not. Whatever dies in
 *    between, the round comes again.
 * 3. While nothing gets through, nothing is given up: the round is tried again, ever more slowly. An event that fails while
 *    others get through becomes a letter, which is tried by itself, and is dead after `deliveryAttemptsMax` tries.
 * 4. An event that the counterpart will never take is a dead letter at once.
 * 5. What waits, in a round or as a letter, is sent with the decision of then; an event that has gone since, or was replaced, is not.
 */
import { bounds } from '../bounds.js'
import type { DecidedEvent, Fate, Outgoing, Sink } from '../contract.js'
import type { Feed, FeedItem } from './feed.js'
import type { Ledger, DeadLetter, Place, StepId } from './ledger.js'
import { DeadLetters } from './dead-letters.js'
import type { Circuit, Pace } from './pace.js'
import { Rest } from './loop-sleep.js'

export interface DeliveryDeps {
  readonly step: StepId
  /** Where it begins the first time. */
  readonly start: Place
  readonly feed: Feed
  readonly sink: Sink
  readonly ledger: Ledger
  /** Of the counterpart. */
  readonly circuit: Circuit
  readonly pace: Pace
  /** Milliseconds since 1970. */
  nowMs(): number
  random(): number
  failed(what: string, error: unknown): void
  /** False where it is set up otherwise by now, and is to tell nothing more: asked behind each look at events. */
  isCurrent(): boolean
  /** The counterpart was asked to take so many, and what went wrong with the first that it did not take, if any. */
  query?(items: number, seconds: number, reason: string | null): void
}

/** How a step is. */
export interface DeliveryStatus {
  readonly state: 'running' | 'retrying' | 'open' | 'full'
  /** Since the start of the service. */
  readonly delivered: number
  readonly waiting: number
  readonly dead: number
  readonly lastDeliveredMs: number | null
  /** '' where all is well. */
  readonly reason: string
  readonly place: Place
}

export class Delivery {
  readonly #deps: DeliveryDeps
  readonly #stop = new AbortController()
  readonly deadLetters: DeadLetters
  #place: Place
  /** The round under way, and where the place goes when it is over. */
  #round: FeedItem[] = []
  #roundPlace: Place
  #headAttempts = 0
  #delivered = 0
  #lastDeliveredMs: number | null = null
  #deadLettersTurn = true
  readonly #rest = new Rest(this.#stop.signal)
  #done: Promise<void> | null = null

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
    const { ledger, step, start } = deps
    const known = ledger.place(step)
    this.#place = this.#roundPlace = known ?? start
    if (known === null) ledger.putPlace(step, start)
    this.deadLetters = new DeadLetters(deps)
  }

  get place(): Place {
    return this.#place
  }

  /** Has nothing to do until it is woken. */
  get isIdle(): boolean {
    return this.#round.length === 0 && this.#rest.isSleeping
  }

  start(): void {
    this.#done = this.#loop()
  }

  /** There may be something to deliver. */
  wake(): void {
    this.#rest.wake()
  }

  status(): DeliveryStatus {
    const { deadLetters } = this
    const { circuit } = this.#deps
    const state = deadLetters.isFull
      ? 'full'
      : circuit.failures === 0
        ? 'running'
        : circuit.isTrying()
          ? 'open'
          : 'retrying'
    return {
      state,
      delivered: this.#delivered,
      waiting: deadLetters.waiting,
      dead: deadLetters.dead,
      lastDeliveredMs: this.#lastDeliveredMs,
      reason: circuit.reason,
      place: this.#place,
    }
  }

  /** Dead letters wait for delivery again: that of one event, or all that there is room for; how many they were. */
  sendAgain(eventMicros: number | null): number {
    const count = this.deadLetters.sendAgain(eventMicros)
    this.wake()
    return count
  }

  /** Stops; what is under way is given up and comes again at the next start. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.wake()
    await this.#done
    await this.#deps.sink.close()
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        const { ms, idle } = await this.#step()
        if (ms > 0) await this.#rest.sleep(ms, idle)
      } catch (error) {
        this.#deps.circuit.failed(this.#deps.nowMs(), 'the integration failed; the log of the service says how')
        this.#deps.failed('an integration failed', error)
        await this.#rest.sleep(this.#deps.pace.baseMs, false)
      }
    }
  }

  /** One round; how long to rest after it, and whether there was nothing to do. */
  async #step(): Promise<{ ms: number; idle: boolean }> {
    const { circuit, pace, nowMs } = this.#deps
    this.#rest.look()
    const deadLetters = this.deadLetters.due(this.#deps.sink.batchMax)
    const fresh = deadLetters.length > 0 && this.#deadLettersTurn ? false : this.#fill()
    this.#deadLettersTurn = !this.#deadLettersTurn
    if (!fresh && deadLetters.length === 0)
      return { ms: Math.min(pace.idleMs, Math.max(1, this.deadLetters.nextMs() - nowMs())), idle: true }
    if (!this.#deps.isCurrent()) return { ms: pace.idleMs, idle: true }
    const wait = circuit.enter(nowMs())
    if (wait > 0) return { ms: wait, idle: false }
    if (fresh) await this.#deliverRound(circuit.isTrying() ? 1 : this.#round.length)
    else await this.#deliverDeadLetters(circuit.isTrying() ? deadLetters.slice(0, 1) : deadLetters)
    return { ms: 0, idle: false }
  }

  /** Finds the next round where there is none; false where there is nothing to deliver. */
  #fill(): boolean {
    const { feed, sink, isCurrent } = this.#deps
    // What waited may be another by now, or gone.
    this.#round = this.#round.flatMap(({ eventMicros, changeMicros }) => feed.one(eventMicros, changeMicros) ?? [])
    if (this.#round.length === 0) this.#moveOn()
    while (this.#round.length === 0 && !this.deadLetters.isFull) {
      const { items, place, more } = feed.look(this.#place, sink.batchMax)
      if (!isCurrent()) break
      ;[this.#round, this.#roundPlace] = [[...items], place]
      if (items.length === 0) this.#moveOn()
      if (!more) break
    }
    return this.#round.length > 0
  }

  #moveOn(): void {
    const { ledger, step } = this.#deps
    const { events, change, changeEvent } = this.#place
    const next = this.#roundPlace
    if (next.events === events && next.change === change && next.changeEvent === changeEvent) return
    this.#place = next
    ledger.putPlace(step, next)
  }

  async #deliverRound(count: number): Promise<void> {
    const { circuit, nowMs } = this.#deps
    const items = this.#round.slice(0, count)
    const fates = await this.#deliver(items)
    if (this.#stop.signal.aborted && fates.every(({ fate }) => fate === 'failed')) return circuit.left()
    const failures = fates.filter((fate) => fate.fate === 'failed')
    const leaveAloneMs = Math.max(0, ...failures.map(({ retryAfterMs = 0 }) => retryAfterMs))
    if (failures.length < fates.length) {
      this.#headAttempts = 0
      // What failed for no reason of its own is tried again in its place.
      const stays = (fate: Fate): boolean => fate.fate === 'failed' && !fate.suspect
      for (const [at, fate] of fates.entries()) if (!stays(fate)) this.#settle(items[at] as FeedItem, fate, 1)
      this.#round.splice(0, count, ...items.filter((_, at) => stays(fates[at] as Fate)))
      circuit.succeeded()
      if (fates.some(stays)) circuit.pause(nowMs(), leaveAloneMs)
    } else {
      circuit.failed(nowMs(), failures[0]?.reason ?? '', leaveAloneMs)
      if (failures[0]?.suspect === true && ++this.#headAttempts >= bounds.headAttemptsMax) {
        // Perhaps it is this event: the next one finds out.
        this.#settle(items[0] as FeedItem, failures[0], 1)
        this.#round.shift()
        this.#headAttempts = 0
      }
    }
    if (this.#round.length === 0) this.#moveOn()
  }

  async #deliverDeadLetters(deadLetters: readonly DeadLetter[]): Promise<void> {
    const { circuit, feed, nowMs } = this.#deps
    const there: FeedItem[] = []
    for (const { eventMicros, changeMicros } of deadLetters) {
      const item = feed.one(eventMicros, changeMicros)
      if (item === null) this.deadLetters.drop(eventMicros)
      else there.push(item)
    }
    if (there.length === 0) return circuit.left()
    const fates = await this.#deliver(there)
    const nobodysFault = fates.find((fate) => fate.fate === 'failed' && !fate.suspect) as
      | Extract<Fate, { fate: 'failed' }>
      | undefined
    if (fates.some(({ fate }) => fate !== 'failed')) circuit.succeeded()
    else if (nobodysFault !== undefined) circuit.failed(nowMs(), nobodysFault.reason, nobodysFault.retryAfterMs)
    else circuit.left()
    for (const [at, fate] of fates.entries()) {
      if (fate.fate === 'failed' && !fate.suspect) continue
      const item = there[at] as FeedItem
      this.#settle(item, fate, this.deadLetters.attempts(item.eventMicros) + 1)
    }
  }

  #settle(item: FeedItem, fate: Fate, attempts: number): void {
    if (fate.fate !== 'delivered') return this.deadLetters.write(item, fate, attempts)
    this.#delivered++
    this.#lastDeliveredMs = this.#deps.nowMs()
    this.deadLetters.drop(item.eventMicros)
  }

  /** Asks the sink, and keeps the references that it gives. */
  async #deliver(items: readonly FeedItem[]): Promise<Fate[]> {
    const { sink, ledger, step } = this.#deps
    const referenceOf = (event: DecidedEvent): string | null =>
      sink.subjectOf === undefined ? null : ledger.reference(step, sink.subjectOf(event))
    const outgoing = items.map(({ id, reason, event, alert }): Outgoing => {
      return { id, reason, event, reference: referenceOf(event), ...(alert === undefined ? {} : { alert }) }
    })
    const begin = performance.now()
    const fates = await sink.deliver(outgoing, this.#stop.signal)
    const bad = fates.find((fate) => fate.fate !== 'delivered')
    this.#deps.query?.(items.length, (performance.now() - begin) / 1_000, bad?.reason ?? null)
    for (const [at, fate] of fates.entries()) {
      if (fate.fate !== 'delivered' || fate.reference === undefined || sink.subjectOf === undefined) continue
      ledger.putReference(step, sink.subjectOf((items[at] as FeedItem).event), fate.reference)
    }
    return fates
  }
}
