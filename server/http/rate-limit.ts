/**
 * Limits the requests of callers per second, with a token bucket for each key and each user.
 *
 * Owns: the buckets. Leaves out: the callers of `take` (auth.ts for requests; bulk/bulk-stream.ts for lines of a
 * stream, which wait instead of being refused).
 *
 * 1. The API tokens of a user share one bucket, so that more tokens do not raise the limit.
 * 2. Buckets exist in memory only; a full bucket may be dropped.
 */
import { limits, Refusal, type Principal } from '../../engine/index.js'

/** What limits the rate of callers. */
export interface Rates {
  /** Takes one request of the caller. @throws Refusal rate_limited, with the seconds to wait. */
  take(principal: Principal): void
  /** Takes one request of the caller. False if there is none left. */
  tryTake(principal: Principal): boolean
}

/** Who is counted: the key, or the user with all tokens. */
export function ownerOfRate({ kind, name }: Principal): string {
  return kind === 'user' ? `user ${name}` : `key ${name}`
}

interface Bucket {
  left: number
  atMs: number
}

export class RateLimit implements Rates {
  readonly #perMs: number
  readonly #burst: number
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  /** `perSecond` above 0, `burst` at least 1; `now` in milliseconds, monotonic. */
  constructor(perSecond: number, burst: number, now: () => number = () => performance.now()) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#now = now
  }

  /** Takes one request from the bucket. @throws Refusal rate_limited, with the seconds to wait. */
  take(principal: Principal): void {
    const bucket = this.#bucketOf(principal)
    if (bucket.left >= 1) {
      bucket.left--
      return
    }
    const retryAfterSeconds = Math.max(1, Math.ceil((1 - bucket.left) / this.#perMs / 1000))
    throw new Refusal('rate_limited', 'too many requests with this key', { retryAfterSeconds })
  }

  /** Takes one request from the bucket. False if it is empty. */
  tryTake(principal: Principal): boolean {
    const bucket = this.#bucketOf(principal)
    if (bucket.left < 1) return false
    bucket.left--
    return true
  }

  #bucketOf(principal: Principal): Bucket {
    const now = this.#now()
    const id = ownerOfRate(principal)
    let bucket = this.#buckets.get(id)
    if (bucket === undefined) {
      if (this.#buckets.size >= limits.ratedCallersMax) this.#forgetFull(now)
      bucket = { left: this.#burst, atMs: now }
      this.#buckets.set(id, bucket)
      return bucket
    }
    bucket.left = Math.min(this.#burst, bucket.left + (now - bucket.atMs) * this.#perMs)
    bucket.atMs = now
    return bucket
  }

  #forgetFull(now: number): void {
    for (const [id, { left, atMs }] of this.#buckets) {
      if (left + (now - atMs) * this.#perMs >= this.#burst) this.#buckets.delete(id)
    }
  }
}
