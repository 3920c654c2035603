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
import type { Ledger, Letter, StepId } from './ledger.js'
import { waitMs, type Pace } from './pace.js'

export interface LettersParts {
  readonly feed: Pick<Feed, 'has'>
  readonly step: StepId
  readonly ledger: Ledger
  readonly pace: Pace
  nowMs(): number
  random(): number
}

export class Letters {
  readonly #parts: LettersParts
  readonly #waiting = new Map<number, Letter>()
  #dead = 0

  constructor(parts: LettersParts) {
    this.#parts = parts
    this.read()
  }

  /** Reads all letters anew; those of events that have gone, as by a deletion for good, are given up. */
  read(): void {
    const { ledger, step, feed } = this.#parts
    this.#waiting.clear()
    this.#dead = 0
    for (const letter of ledger.letters(step)) {
      if (!feed.has(letter.eventMicros)) ledger.dropLetter(step, letter.eventMicros)
      else if (letter.state === 'dead') this.#dead++
      else this.#waiting.set(letter.eventMicros, letter)
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
  due(countMax: number): Letter[] {
    if (this.#waiting.size === 0) return []
    const now = this.#parts.nowMs()
    return [...this.#waiting.values()].filter((letter) => this.#nextOf(letter, now) <= now).slice(0, countMax)
  }

  /** When the next one is due; Infinity where none waits. */
  nextMs(): number {
    const now = this.#parts.nowMs()
    let next = Infinity
    for (const letter of this.#waiting.values()) next = Math.min(next, this.#nextOf(letter, now))
    return next
  }

  /** No pause is longer than the longest: behind a clock that was set back by more it is over. */
  #nextOf({ nextMs }: Letter, now: number): number {
    return nextMs - now > this.#parts.pace.eventCapMs ? now : nextMs
  }

  /** A delivery has failed: it waits, or is dead. */
  write({ eventMicros, changeMicros }: FeedItem, fate: Exclude<Fate, { fate: 'delivered' }>, attempts: number): void {
    const { step, ledger, feed, pace, nowMs, random } = this.#parts
    if (!feed.has(eventMicros)) return this.drop(eventMicros)
    const isDead = fate.fate === 'refused' || attempts >= bounds.deliveryAttemptsMax
    const now = nowMs()
    const letter: Letter = {
      state: isDead ? 'dead' : 'waiting',
      eventMicros,
      changeMicros,
      attempts,
      reason: fate.reason,
      firstMs: this.#waiting.get(eventMicros)?.firstMs ?? now,
      lastMs: now,
      nextMs: now + waitMs(attempts, pace.eventBaseMs, pace.eventCapMs, random()),
    }
    const wasDead = changeMicros > 0 && ledger.letter(step, eventMicros)?.state === 'dead'
    this.#dead += Number(isDead) - Number(wasDead)
    ledger.putLetter(step, letter)
    if (isDead) this.#waiting.delete(eventMicros)
    else this.#waiting.set(eventMicros, letter)
  }

  /** The event needs no letter any more. */
  drop(eventMicros: number): void {
    if (this.#waiting.delete(eventMicros)) this.#parts.ledger.dropLetter(this.#parts.step, eventMicros)
  }

  /** Dead letters wait for delivery again: that of one event, or all that there is room for; how many they were. */
  sendAgain(eventMicros: number | null): number {
    const { ledger, step, nowMs } = this.#parts
    const dead = this.#deadOnes(eventMicros).slice(0, bounds.deliveriesWaitingMax - this.#waiting.size)
    for (const letter of dead) {
      const waiting: Letter = { ...letter, state: 'waiting', attempts: 0, nextMs: nowMs() }
      ledger.putLetter(step, waiting)
      this.#waiting.set(letter.eventMicros, waiting)
    }
    this.#dead -= dead.length
    ledger.flush()
    return dead.length
  }

  /** Dead letters are given up: that of one event, or all; how many they were. */
  discard(eventMicros: number | null): number {
    const { ledger, step } = this.#parts
    const dead = this.#deadOnes(eventMicros)
    for (const letter of dead) ledger.dropLetter(step, letter.eventMicros)
    this.#dead -= dead.length
    ledger.flush()
    return dead.length
  }

  #deadOnes(eventMicros: number | null): Letter[] {
    const { ledger, step } = this.#parts
    const letters = eventMicros === null ? [...ledger.letters(step)] : [ledger.letter(step, eventMicros)]
    return letters.filter((letter) => letter !== null).filter(({ state }) => state === 'dead')
  }
}
