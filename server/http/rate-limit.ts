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

interface Bucket {
  left: number
  atMs: number
}

export class RateLimit {
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

  #bucketOf({ kind, name }: Principal): Bucket {
    const now = this.#now()
    const id = kind === 'user' ? `user ${name}` : `key ${name}`
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
