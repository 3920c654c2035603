/**
 * The letters of one step: events whose delivery failed while others got through, waiting to be tried by themselves, and
 * those that failed for good.
 *
 * Owns: what a failed delivery becomes, which are due, sending again and giving up. Leaves out: rows (ledger.ts), delivering
 * (delivery.ts).
 *
 * 1. Those that wait are in memory as they are in the ledger; of the dead only their number is.
 * 2. An event has one letter in a step: that of its latest decision. One that is not stored any more has none.
 */
import { bounds } from '../bounds.js'
import type { Fate } from '../contract.js'
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

  /** Reads all letters anew; those of events that have gone, as by a deletion for good, are given up. */
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

  /** No more fit; then nothing new is taken, so that nothing is lost. */
  get isFull(): boolean {
    return this.#waiting.size >= bounds.deliveriesWaitingMax || this.#dead >= bounds.deadLettersMax
  }

  /** Tries of the event so far, where it waits. */
  attempts(eventMicros: number): number {
    return this.#waiting.get(eventMicros)?.attempts ?? 0
  }

  /** Those that are to be tried now. */
  due(countMax: number): DeadLetter[] {
    if (this.#waiting.size === 0) return []
    const now = this.#deps.nowMs()
    return [...this.#waiting.values()].filter((deadLetter) => this.#nextOf(deadLetter, now) <= now).slice(0, countMax)
  }

  /** When the next one is due; Infinity where none waits. */
  nextMs(): number {
    const now = this.#deps.nowMs()
    let next = Infinity
    for (const deadLetter of this.#waiting.values()) next = Math.min(next, this.#nextOf(deadLetter, now))
    return next
  }

  /** No pause is longer than the longest: behind a clock that was set back by more it is over. */
  #nextOf({ nextMs }: DeadLetter, now: number): number {
    return nextMs - now > this.#deps.pace.eventCapMs ? now : nextMs
  }

  /** A delivery has failed: it waits, or is dead. */
  write({ eventMicros, changeMicros }: FeedItem, fate: Exclude<Fate, { fate: 'delivered' }>, attempts: number): void {
    const { step, ledger, feed, pace, nowMs, random } = this.#deps
    if (!feed.has(eventMicros)) return this.drop(eventMicros)
    const isDead = fate.fate === 'refused' || attempts >= bounds.deliveryAttemptsMax
    const now = nowMs()
    const deadLetter: DeadLetter = {
      state: isDead ? 'dead' : 'waiting',
      eventMicros,
      changeMicros,
      attempts,
      reason: fate.reason,
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

  /** The event needs no letter any more. */
  drop(eventMicros: number): void {
    if (this.#waiting.delete(eventMicros)) this.#deps.ledger.dropDeadLetter(this.#deps.step, eventMicros)
  }

  /** Dead letters wait for delivery again: that of one event, or all that there is room for; how many they were. */
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

  /** Dead letters are given up: that of one event, or all; how many they were. */
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
