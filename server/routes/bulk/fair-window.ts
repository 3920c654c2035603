/**
 * How many lines of all streams together may be under way. Callers that have lines under way get equal shares, and so
 * do the streams of one caller.
 *
 * A message waits behind all messages posted before it, except that single events overtake streams. So the lines of
 * streams decide how long a vote waits. The bound is just enough to keep the threads busy; the rest of a stream waits
 * in its socket.
 *
 * 1. A stream without lines under way takes nothing from the others.
 * 2. Every stream gets a minimum, so that none stops, however many there are.
 */
import { limits } from '../../../engine/index.js'
import type { SharedCallers } from './shared-callers.js'

export class FairWindow {
  readonly #total: number
  /** Streams with lines under way, by caller. */
  readonly #sharers = new Map<string, number>()

  readonly #shared: SharedCallers | null

  /** `threads`: number of threads that decide events. `shared`: where several threads of HTTP count together. */
  constructor(threads: number, shared: SharedCallers | null = null) {
    this.#total = limits.bulkEventsUnderWayMax * threads
    this.#shared = shared
  }

  /** Lines that one stream of this caller may have under way now. */
  share(owner: string): number {
    const shared = this.#shared
    const own = shared === null ? (this.#sharers.get(owner) ?? 0) : Atomics.load(shared.streamsOf(owner), 0)
    const others = shared === null ? this.#sharers.size : Atomics.load(shared.owners, 0)
    const owners = others + (own === 0 ? 1 : 0)
    return Math.max(limits.bulkShareMin, Math.floor(this.#total / owners / Math.max(1, own)))
  }

  /** A stream has its first line under way. */
  join(owner: string): void {
    this.#sharers.set(owner, (this.#sharers.get(owner) ?? 0) + 1)
    if (this.#shared !== null && Atomics.add(this.#shared.streamsOf(owner), 0, 1) === 0)
      Atomics.add(this.#shared.owners, 0, 1)
  }

  /** A stream has no line under way any more. */
  leave(owner: string): void {
    const own = (this.#sharers.get(owner) ?? 0) - 1
    if (own > 0) this.#sharers.set(owner, own)
    else this.#sharers.delete(owner)
    if (this.#shared !== null && Atomics.sub(this.#shared.streamsOf(owner), 0, 1) === 1)
      Atomics.sub(this.#shared.owners, 0, 1)
  }
}
