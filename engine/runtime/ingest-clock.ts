/**
 * The clock that stamps messages and the starts of steps. Its times strictly increase, so that a time identifies a
 * message and orders it.
 *
 * 1. No two times of a data directory are equal, even across restarts, and when the system's clock is set back.
 */
import type { Clock } from '../clock.js'

export class IngestClock {
  readonly #clock: Clock
  #last = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Makes all later times greater than `micros`, such as the latest time of the data directory. */
  follow(micros: number): void {
    if (micros > this.#last) this.#last = micros
  }

  /** Takes `count` consecutive times, in microseconds, and returns the first. */
  take(count = 1): number {
    const first = Math.max(this.#clock.nowMicros(), this.#last + 1)
    this.#last = first + count - 1
    return first
  }
}
