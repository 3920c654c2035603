/**
 * The time that messages are stamped with: the clock's, made strictly increasing, so that it names a message.
 *
 * 1. No two stamps of a data directory are equal, across restarts and a clock that is set back too.
 */
import type { Clock } from '../clock.js'

export class IngestClock {
  readonly #clock: Clock
  #last: number

  /** `last` is the latest stamp in the data directory. */
  constructor(clock: Clock, last: number) {
    this.#clock = clock
    this.#last = last
  }

  /** The first of `count` stamps that are the caller's alone, in microseconds. */
  take(count = 1): number {
    const first = Math.max(this.#clock.nowMicros(), this.#last + 1)
    this.#last = first + count - 1
    return first
  }
}
