/**
 * The dead letters of one step: events whose delivery failed while others succeeded. A waiting one is retried on its
 * own, a dead one has failed for good.
 *
 * Owns: the state after a failed delivery, which letters are due, retrying and discarding. Leaves out: rows
 * (ledger.ts), the delivery itself (delivery.ts).
 *
 * 1. Waiting dead letters are in memory as well as in the ledger; dead ones are only counted in memory.
 * 2. An event has at most one dead letter in a step: that of its latest decision. A deleted event has none.
 */
import { bounds } from '../bounds.js'
import type { Outcome } from '../contract.js'
import type { Feed, FeedItem } from './feed.js'
import type { Ledger, DeadLetter, StepId } from './ledger.js'
import { waitMs, type Pace } from './pace.js'

export interface DeadLettersDeps {
  readonly feed: Pick<Feed, 'has'>
  readonly step: StepId
  readonly ledger: Ledger
  readonly pace: Pace
  nowMs(): number
  random(): number
}

export class DeadLetters {
  readonly #deps: DeadLettersDeps
  readonly #waiting = new Map<number, DeadLetter>()
  #dead = 0

  constructor(deps: DeadLettersDeps) {
    this.#deps = deps
    this.read()
  }

  /** Reads all dead letters again, and drops those of deleted events. */
  read(): void {
    const { ledger, step, feed } = this.#deps
    this.#waiting.clear()
    this.#dead = 0
    for (const deadLetter of ledger.deadLetters(step)) {
      if (!feed.has(deadLetter.eventMicros)) ledger.dropDeadLetter(step, deadLetter.eventMicros)
      else if (deadLetter.state === 'dead') this.#dead++
      else this.#waiting.set(deadLetter.eventMicros, deadLetter)
    }
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get dead(): number {
    return this.#dead
  }

  /** True if there is no room for more; the step then sends nothing new, so that no failure is lost. */
  get isFull(): boolean {
    return this.#waiting.size >= bounds.deliveriesWaitingMax || this.#dead >= bounds.deadLettersMax
  }

  /** Tries of a waiting event so far. */
  attempts(eventMicros: number): number {
    return this.#waiting.get(eventMicros)?.attempts ?? 0
  }

  /** Those that are due now. */
  due(countMax: number): DeadLetter[] {
    if (this.#waiting.size === 0) return []
    const now = this.#deps.nowMs()
    return [...this.#waiting.values()].filter((deadLetter) => this.#nextOf(deadLetter, now) <= now).slice(0, countMax)
  }

  /** When the next one is due; Infinity for none. */
  nextMs(): number {
    const now = this.#deps.nowMs()
    let next = Infinity
    for (const deadLetter of this.#waiting.values()) next = Math.min(next, this.#nextOf(deadLetter, now))
    return next
  }

  /** A pause longer than the maximum means that the clock was set back: the letter is due. */
  #nextOf({ nextMs }: DeadLetter, now: number): number {
    return nextMs - now > this.#deps.pace.eventCapMs ? now : nextMs
  }

  /** Stores a failed delivery, as waiting or dead. */
  write(
    { eventMicros, changeMicros }: FeedItem,
    outcome: Exclude<Outcome, { outcome: 'delivered' }>,
    attempts: number,
  ): void {
    const { step, ledger, feed, pace, nowMs, random } = this.#deps
    if (!feed.has(eventMicros)) return this.drop(eventMicros)
    const isDead = outcome.outcome === 'refused' || attempts >= bounds.deliveryAttemptsMax
    const now = nowMs()
    const deadLetter: DeadLetter = {
      state: isDead ? 'dead' : 'waiting',
      eventMicros,
      changeMicros,
      attempts,
      reason: outcome.reason,
      firstMs: this.#waiting.get(eventMicros)?.firstMs ?? now,
      lastMs: now,
      nextMs: now + waitMs(attempts, pace.eventBaseMs, pace.eventCapMs, random()),
    }
    const wasDead = changeMicros > 0 && ledger.deadLetter(step, eventMicros)?.state === 'dead'
    this.#dead += Number(isDead) - Number(wasDead)
    ledger.putDeadLetter(step, deadLetter)
    if (isDead) this.#waiting.delete(eventMicros)
    else this.#waiting.set(eventMicros, deadLetter)
  }

  /** Drops the dead letter of an event, if any. */
  drop(eventMicros: number): void {
    if (this.#waiting.delete(eventMicros)) this.#deps.ledger.dropDeadLetter(this.#deps.step, eventMicros)
  }

  /** Retries the dead letter of one event, or all that there is room for. Returns how many. */
  sendAgain(eventMicros: number | null): number {
    const { ledger, step, nowMs } = this.#deps
    const dead = this.#deadOnes(eventMicros).slice(0, bounds.deliveriesWaitingMax - this.#waiting.size)
    for (const deadLetter of dead) {
      const waiting: DeadLetter = { ...deadLetter, state: 'waiting', attempts: 0, nextMs: nowMs() }
      ledger.putDeadLetter(step, waiting)
      this.#waiting.set(deadLetter.eventMicros, waiting)
    }
    this.#dead -= dead.length
    ledger.flush()
    return dead.length
  }

  /** Discards the dead letter of one event, or all. Returns how many. */
  discard(eventMicros: number | null): number {
    const { ledger, step } = this.#deps
    const dead = this.#deadOnes(eventMicros)
    for (const deadLetter of dead) ledger.dropDeadLetter(step, deadLetter.eventMicros)
    this.#dead -= dead.length
    ledger.flush()
    return dead.length
  }

  #deadOnes(eventMicros: number | null): DeadLetter[] {
    const { ledger, step } = this.#deps
    const deadLetters = eventMicros === null ? [...ledger.deadLetters(step)] : [ledger.deadLetter(step, eventMicros)]
    return deadLetters.filter((deadLetter) => deadLetter !== null).filter(({ state }) => state === 'dead')
  }
}
