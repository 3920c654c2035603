/**
 * The time that messages and the beginnings of steps are stamped with: the clock's, made strictly increasing, so that it names a message
 * and says what came before it.
 *
 * 1. No two stamps of a data directory are equal, across restarts and a clock that is set back too.
 */
import type { Clock } from '../clock.js'

export class IngestClock {
  readonly #clock: Clock
  #last = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Has all stamps to come be later than `micros`, such as the latest of the data directory. */
  follow(micros: number): void {
    if (micros > this.#last) this.#last = micros
  }

  /** The first of `count` stamps that are the caller's alone, in microseconds. */
  take(count = 1): number {
    const first = Math.max(this.#clock.nowMicros(), this.#last + 1)
    this.#last = first + count - 1
    return first
  }
}
