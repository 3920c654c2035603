/**
 * The rate limit of callers over several threads: a time for each caller, in shared memory (GCRA, ITU-T I.371). It
 * admits exactly what a token bucket admits (http/rate-limit.ts).
 *
 * A request moves the caller's time on by one interval, and never lies in the past. It is admitted while that time is
 * at most a burst ahead of now.
 *
 * 1. The clock is that of the process, which all threads share.
 */
import { Refusal, type Principal } from '../../engine/index.js'
import { ownerOfRate, type Rates } from '../http/rate-limit.js'
import type { SharedState } from './shared-state.js'

const SECOND = 1e9

export class SharedRate implements Rates {
  readonly #shared: SharedState
  /** Nanoseconds from one request to the next, and how far the caller's time may be ahead. */
  readonly #interval: bigint
  readonly #ahead: bigint
  readonly #now: () => bigint

  /** `perSecond` above 0, `burst` at least 1; `now` in nanoseconds, the same on all threads. */
  constructor(
    shared: SharedState,
    perSecond: number,
    burst: number,
    now: () => bigint = () => process.hrtime.bigint(),
  ) {
    this.#shared = shared
    this.#interval = BigInt(Math.ceil(SECOND / perSecond))
    this.#ahead = this.#interval * BigInt(Math.floor(burst) - 1)
    this.#now = now
  }

  take(principal: Principal): void {
    const wait = this.#wait(principal)
    if (wait === 0n) return
    const retryAfterSeconds = Math.max(1, Math.ceil(Number(wait) / SECOND))
    throw new Refusal('rate_limited', 'too many requests with this key', { retryAfterSeconds })
  }

  tryTake(principal: Principal): boolean {
    return this.#wait(principal) === 0n
  }

  /** 0 where the request is admitted, else the nanoseconds until one would be. */
  #wait(principal: Principal): bigint {
    const time = this.#shared.rateOf(ownerOfRate(principal))
    for (;;) {
      const before = Atomics.load(time, 0)
      const now = this.#now()
      const isPast = before < now
      const from = isPast ? now : before
      if (from - now > this.#ahead) return from - now - this.#ahead
      if (Atomics.compareExchange(time, 0, before, from + this.#interval) === before) return 0n
    }
  }
}
