/**
 * The clock that stamps messages and the starts of steps. Its times strictly increase, so that a time identifies a
 * message and orders it.
 *
 * 1. No two times of a data directory are equal, even across restarts, and when the system's clock is set back.
 * 2. Where that clock was set back, times continue from the latest one, so they are ahead of it until it catches up.
 */
import type { Clock } from '../clock.js'

export class IngestClock implements Clock {
  readonly #clock: Clock
  #last = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Makes all later times greater than `micros`, such as the latest time of the data directory. Returns `micros`. */
  follow(micros: number): number {
    if (micros > this.#last) this.#last = micros
    return micros
  }

  /** The present of what is stored: no message so far has a later time. Queries take this as now. */
  nowMicros(): number {
    return Math.max(this.#clock.nowMicros(), this.#last)
  }

  /** Microseconds that the system's clock is behind the latest time. A few are usual where many messages come. */
  get behindMicros(): number {
    return Math.max(0, this.#last - this.#clock.nowMicros())
  }

  /** The system's clock. */
  get systemMicros(): number {
    return this.#clock.nowMicros()
  }

  /** Takes `count` consecutive times, in microseconds, and returns the first. */
  take(count = 1): number {
    const first = Math.max(this.#clock.nowMicros(), this.#last + 1)
    this.#last = first + count - 1
    return first
  }
}
