/**
 * How many lines of all streams together may be under way. Streams that have lines under way get equal shares.
 *
 * A message waits behind all messages posted before it, except that single events overtake streams. So the lines of
 * streams decide how long a vote waits. The bound is just enough to keep the threads busy; the rest of a stream waits
 * in its socket.
 *
 * 1. A stream without lines under way takes nothing from the others.
 * 2. Every stream gets a minimum, so that none stops, however many there are.
 */
import { limits } from '../../../engine/index.js'

export class FairWindow {
  readonly #total: number
  #sharers = 0

  /** `threads`: number of threads that decide events. */
  constructor(threads: number) {
    this.#total = limits.bulkEventsUnderWayMax * threads
  }

  /** Lines that one stream may have under way now. */
  get share(): number {
    return Math.max(limits.bulkShareMin, Math.floor(this.#total / Math.max(1, this.#sharers)))
  }

  /** A stream has its first line under way. */
  join(): void {
    this.#sharers++
  }

  /** A stream has no line under way any more. */
  leave(): void {
    this.#sharers--
  }
}
