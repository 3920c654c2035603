/**
 * Delivers the events of one step to its counterpart, each at least once.
 *
 * Owns: the loop, and the reaction to each outcome. Leaves out: reading events (round.ts), dead letters
 * (dead-letters.ts), rows (ledger.ts).
 *
 * 1. The store is the queue: only one round is in memory. A slow or dead counterpart falls behind and delays nobody
 *    else.
 * 2. The place moves past an event when it was delivered, or when a dead letter is stored for it. After a crash in
 *    between the round is delivered again.
 * 3. While nothing succeeds, nothing is given up: the round is tried again, after growing pauses. An event that fails
 *    while others succeed becomes a dead letter. It is retried on its own, and is dead after `deliveryAttemptsMax`
 *    tries.
 * 4. An event that the counterpart will never accept is dead at once.
 * 5. Where the counterpart says that nothing will get through, the step stops (halt.ts). Its events wait in the store.
 * 6. A waiting event, in a round or as a dead letter, is sent with its decision at the time of sending. An event that
 *    was deleted or replaced in the meantime is not sent.
 */
import { bounds } from '../bounds.js'
import type { Outcome, Outgoing, Sink } from '../contract.js'
import type { FeedItem } from './feed.js'
import { Halt, type Halted } from './halt.js'
import type { DeadLetter, StepProgress } from './ledger.js'
import { DeadLetters } from './dead-letters.js'
import type { Circuit, Pace } from './pace.js'
import { LoopSleep } from './loop-sleep.js'
import { Round, type RoundDeps } from './round.js'

export interface DeliveryDeps extends RoundDeps {
  readonly sink: Sink
  /** The circuit breaker of the counterpart. */
  readonly circuit: Circuit
  readonly pace: Pace
  /** Milliseconds since 1970. */
  nowMs(): number
  random(): number
  failed(what: string, error: unknown): void
  /** Reports a request: how many items, how long, and why the first undelivered one failed. */
  requested?(items: number, seconds: number, reason: string | null): void
  /** Called when the counterpart says that nothing will get through, and when it does again. */
  halted?(): void
}

/** The status of a step. */
export interface DeliveryStatus {
  readonly state: 'running' | 'retrying' | 'open' | 'full' | 'stopped'
  /** Since the start of the service. */
  readonly delivered: number
  /** Of these, those that one message told of together with others. */
  readonly summedUp: number
  readonly waiting: number
  readonly dead: number
  readonly lastDeliveredMs: number | null
  /** '' while deliveries succeed. */
  readonly reason: string
  readonly place: StepProgress
  /** Set where the counterpart says that nothing will get through. */
  readonly halted: Halted | null
}

export class Delivery {
  readonly #deps: DeliveryDeps
  readonly #stop = new AbortController()
  readonly deadLetters: DeadLetters
  readonly #round: Round
  readonly #halt: Halt
  #headAttempts = 0
  #delivered = 0
  #summedUp = 0
  #lastDeliveredMs: number | null = null
  #deadLettersTurn = true
  readonly #sleep = new LoopSleep(this.#stop.signal)
  #done: Promise<void> | null = null

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
    const { batchMax, sumsUpOver = 0 } = deps.sink
    this.#round = new Round(deps, { eventsMax: batchMax, sumUpOver: sumsUpOver })
    this.deadLetters = new DeadLetters(deps)
    this.#halt = new Halt(deps.pace, () => deps.halted?.())
  }

  get place(): StepProgress {
    return this.#round.place
  }

  /** True while there is nothing to do until `wake`. */
  get isIdle(): boolean {
    return this.#round.items.length === 0 && this.#sleep.isSleeping
  }

  start(): void {
    this.#done = this.#loop()
  }

  /** Call when there may be something to deliver. */
  wake(): void {
    this.#sleep.wake()
  }

  status(): DeliveryStatus {
    const { deadLetters } = this
    const { circuit } = this.#deps
    return {
      state: this.#halt.isStopped ? 'stopped' : deadLetters.isFull ? 'full' : circuit.status,
      delivered: this.#delivered,
      summedUp: this.#summedUp,
      waiting: deadLetters.waiting,
      dead: deadLetters.dead,
      lastDeliveredMs: this.#lastDeliveredMs,
      reason: this.#halt.halted?.reason ?? circuit.reason,
      place: this.#round.place,
      halted: this.#halt.halted,
    }
  }

  /** Tries again now. Returns whether the step was stopped. */
  resume(): boolean {
    const wasStopped = this.#halt.isStopped
    this.#halt.goOn()
    this.#deps.circuit.endPause()
    this.#sleep.interrupt()
    return wasStopped
  }

  /** Retries the dead letter of one event, or all that there is room for. Returns how many. */
  sendAgain(eventMicros: number | null): number {
    const count = this.deadLetters.sendAgain(eventMicros)
    this.wake()
    return count
  }

  /** Stops. The current round is abandoned, and delivered again after the next start. */
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
        if (ms > 0) await this.#sleep.sleep(ms, idle)
      } catch (error) {
        this.#deps.circuit.failed(this.#deps.nowMs(), 'the integration failed; see the log of the service')
        this.#deps.failed('an integration failed', error)
        await this.#sleep.sleep(this.#deps.pace.baseMs, false)
      }
    }
  }

  /** Runs one round. Returns how long to sleep after it, and whether there was nothing to do. */
  async #step(): Promise<{ ms: number; idle: boolean }> {
    const { circuit, pace, nowMs } = this.#deps
    this.#sleep.beginPass()
    const stoppedMs = this.#halt.waitMs(nowMs())
    if (stoppedMs > 0) return { ms: Math.min(pace.idleMs, stoppedMs), idle: true }
    const deadLetters = this.deadLetters.due(this.#deps.sink.batchMax)
    const isTheirTurn = deadLetters.length > 0 && this.#deadLettersTurn
    this.#deadLettersTurn = !this.#deadLettersTurn
    if (!isTheirTurn && !this.#round.fill(!this.deadLetters.isFull)) return { ms: 1, idle: false }
    const fresh = !isTheirTurn && this.#round.items.length > 0
    if (!fresh && deadLetters.length === 0)
      return { ms: Math.min(pace.idleMs, Math.max(1, this.deadLetters.nextMs() - nowMs())), idle: true }
    if (!this.#deps.isCurrent()) return { ms: pace.idleMs, idle: true }
    const wait = circuit.enter(nowMs())
    if (wait > 0) return { ms: wait, idle: false }
    const isProbe = circuit.isTripped() || this.#halt.isStopped
    if (fresh) await this.#deliverRound(isProbe ? 1 : this.#deps.sink.batchMax)
    else await this.#deliverDeadLetters(isProbe ? deadLetters.slice(0, 1) : deadLetters)
    return { ms: 0, idle: false }
  }

  async #deliverRound(countMax: number): Promise<void> {
    const { circuit, nowMs } = this.#deps
    const items = this.#round.items.slice(0, countMax)
    const outcomes = await this.#deliver(items, false)
    if (this.#stop.signal.aborted && outcomes.every(({ outcome }) => outcome === 'failed')) return circuit.release()
    const failures = outcomes.filter((outcome) => outcome.outcome === 'failed')
    const leaveAloneMs = Math.max(0, ...failures.map(({ retryAfterMs = 0 }) => retryAfterMs))
    if (failures.length > 0) this.#round.away()
    if (failures.length < outcomes.length) {
      this.#headAttempts = 0
      // An event that did not cause its failure stays in the round. So does a message about many until it is split up.
      const stays = ({ summary }: FeedItem, at: number): boolean => {
        const outcome = outcomes[at] as Outcome
        return isUnrelated(outcome) || (summary !== undefined && outcome.outcome !== 'delivered')
      }
      for (const [at, item] of items.entries()) if (!stays(item, at)) this.#settle(item, outcomes[at] as Outcome, 1)
      this.#round.finish(items.length, items.filter(stays))
      if (items.some(({ summary }, at) => summary !== undefined && isAtFault(outcomes[at] as Outcome)))
        this.#round.splitUp()
      circuit.succeeded()
      this.#halt.goOn()
      if (outcomes.some(isUnrelated)) circuit.pause(nowMs(), leaveAloneMs)
    } else if (this.#stops(failures)) circuit.release()
    else {
      circuit.failed(nowMs(), failures[0]?.reason ?? '', leaveAloneMs)
      if (failures[0]?.suspect === true && ++this.#headAttempts >= bounds.headAttemptsMax) {
        // This event may be the cause: try the next one first.
        if (items[0]?.summary !== undefined) this.#round.splitUp()
        else {
          this.#settle(items[0] as FeedItem, failures[0], 1)
          this.#round.finish(1, [])
        }
        this.#headAttempts = 0
      }
    }
  }

  async #deliverDeadLetters(deadLetters: readonly DeadLetter[]): Promise<void> {
    const { circuit, feed, nowMs } = this.#deps
    const there: FeedItem[] = []
    for (const { eventMicros, changeMicros } of deadLetters) {
      const item = feed.one(eventMicros, changeMicros)
      if (item === null) this.deadLetters.drop(eventMicros)
      else there.push(item)
    }
    if (there.length === 0) return circuit.release()
    const outcomes = await this.#deliver(there, true)
    const unrelated = outcomes.find(isUnrelated)
    if (outcomes.some(({ outcome }) => outcome !== 'failed')) {
      circuit.succeeded()
      this.#halt.goOn()
    } else if (this.#stops(outcomes.filter((outcome) => outcome.outcome === 'failed'))) circuit.release()
    else if (unrelated !== undefined) circuit.failed(nowMs(), unrelated.reason, unrelated.retryAfterMs)
    else circuit.release()
    for (const [at, outcome] of outcomes.entries()) {
      if (isUnrelated(outcome)) continue
      const item = there[at] as FeedItem
      this.#settle(item, outcome, this.deadLetters.attempts(item.eventMicros) + 1)
    }
  }

  /** Whether the step stops, where nothing got through: the counterpart says that it will stay so. */
  #stops(failures: readonly Extract<Outcome, { outcome: 'failed' }>[]): boolean {
    const lasting = failures.find((failure) => failure.lasting !== undefined)
    if (lasting?.lasting !== undefined) return this.#halt.failed(lasting.lasting, lasting.reason, this.#deps.nowMs())
    this.#halt.goOn()
    return false
  }

  #settle(item: FeedItem, outcome: Outcome, attempts: number): void {
    if (outcome.outcome !== 'delivered') return this.deadLetters.write(item, outcome, attempts)
    this.#delivered += item.summary?.count ?? 1
    this.#summedUp += item.summary?.count ?? 0
    this.#lastDeliveredMs = this.#deps.nowMs()
    if (item.summary !== undefined) return
    this.deadLetters.drop(item.eventMicros)
  }

  /** Passes the items to the sink, and stores the references that it returns. */
  async #deliver(items: readonly FeedItem[], isLate: boolean): Promise<Outcome[]> {
    const { sink, ledger, step } = this.#deps
    const outgoing = items.map(({ id, reason, event, alert, summary }): Outgoing => {
      const reference = sink.subjectOf === undefined ? null : ledger.reference(step, sink.subjectOf(event))
      return {
        id,
        reason,
        event,
        reference,
        isLate,
        ...(alert === undefined ? {} : { alert }),
        ...(summary === undefined ? {} : { summary }),
      }
    })
    const begin = performance.now()
    const outcomes = await sink.deliver(outgoing, this.#stop.signal)
    const undelivered = outcomes.find((outcome) => outcome.outcome !== 'delivered')
    this.#deps.requested?.(items.length, (performance.now() - begin) / 1_000, undelivered?.reason ?? null)
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.outcome !== 'delivered' || outcome.reference === undefined || sink.subjectOf === undefined) continue
      ledger.putReference(step, sink.subjectOf((items[at] as FeedItem).event), outcome.reference)
    }
    if (outcomes.some((outcome) => outcome.outcome === 'delivered' && outcome.reference !== undefined)) ledger.flush()
    return outcomes
  }
}

/** True for a failure that the item may have caused. */
function isAtFault(outcome: Outcome): boolean {
  return outcome.outcome !== 'delivered' && !isUnrelated(outcome)
}

/** True for a failure that the event did not cause: any other event would have failed too. */
function isUnrelated(outcome: Outcome): outcome is Extract<Outcome, { outcome: 'failed' }> {
  return outcome.outcome === 'failed' && !outcome.suspect
}
