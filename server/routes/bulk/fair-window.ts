/**
 * How many lines of streamed requests may be under way, shared evenly among the requests that have any.
 *
 * A message waits behind all that were posted before it, but for single events, which overtake streams. So whatever streams
 * have under way is the time that a vote waits: it is bounded here for all of them together, to what keeps the threads busy,
 * and the rest of a stream waits in its socket.
 *
 * 1. A request that has nothing under way takes nothing from the others.
 * 2. A request always gets a little, so that none stands still however many there are.
 */
import { limits } from '../../../engine/index.js'

export class FairWindow {
  readonly #total: number
  #sharers = 0

  /** `threads` decide events. */
  constructor(threads: number) {
    this.#total = limits.bulkEventsUnderWayMax * threads
  }

  /** Lines that one request may have under way now. */
  get share(): number {
    return Math.max(limits.bulkShareMin, Math.floor(this.#total / Math.max(1, this.#sharers)))
  }

  /** A request has its first line under way. */
  join(): void {
    this.#sharers++
  }

  /** It has none any more. */
  leave(): void {
    this.#sharers--
  }
}
