/**
 * The memory that one thread has for buckets, over all jobs of all of its shards.
 *
 * Owns: how much all caches take together, and how much of it each has to give up. Leaves out: which buckets a cache
 * forgets (bucket-cache.ts).
 *
 * 1. Bytes are counted, not measured. A job whose buckets take less than an equal share gives up none of them.
 */
import { limits } from '../../limits.js'
import { KeyedBuckets } from './keyed-buckets.js'

/** A cache of buckets, as far as its memory is concerned. */
export interface BucketHolder {
  readonly bytes: number
  /** Forgets what had no event for longest, until at most `bytes` are left. */
  shrink(bytes: number): void
}

/** Memory may grow by this factor before caches that could not give up enough are asked again. */
const AGAIN = 1.25

export class BucketMemory {
  readonly #max: number
  readonly #holders = new Set<BucketHolder>()
  /** Keys of the buckets of all caches. */
  readonly keys = new KeyedBuckets()
  #bytes = 0
  /** Caches are asked to shrink above this. */
  #shrinkAbove: number

  constructor(max: number = limits.bucketBytesInMemoryMax) {
    this.#max = max
    this.#shrinkAbove = max
  }

  /** Bytes of all caches and keys. */
  get bytes(): number {
    return this.#bytes + this.keys.bytes
  }

  /** A cache holds so many bytes more (negative: fewer). */
  count(holder: BucketHolder, bytes: number): void {
    this.#holders.add(holder)
    this.#bytes += bytes
  }

  /** The cache is not used any more. */
  drop(holder: BucketHolder): void {
    if (this.#holders.delete(holder)) this.#bytes -= holder.bytes
  }

  /** Where the bound is exceeded, all keys go, and all caches together give up half of it. Only between turns. */
  shrink(): void {
    if (this.bytes <= this.#shrinkAbove) return
    this.keys.clear()
    const share = equalShare(
      [...this.#holders].map(({ bytes }) => bytes),
      this.#max / 2,
    )
    for (const holder of this.#holders) if (holder.bytes > share) holder.shrink(share)
    // Buckets whose rows are behind stay in memory.
    this.#shrinkAbove = Math.max(this.#max, this.#bytes * AGAIN)
  }
}

/** The largest share for each, so that all together have at most `total`. Who needs less leaves more to the others. */
export function equalShare(needs: readonly number[], total: number): number {
  const smallestFirst = [...needs].sort((a, b) => a - b)
  let left = total
  for (const [i, need] of smallestFirst.entries()) {
    const share = left / (smallestFirst.length - i)
    if (need > share) return share
    left -= need
  }
  return Number.POSITIVE_INFINITY
}

/** The time from which on this share of the times is; a stream meets again what it has met lately. */
export function latestOf(times: readonly number[], share: number): number {
  const sorted = Float64Array.from(times).sort()
  return sorted[sorted.length - Math.floor(sorted.length * share)] ?? Number.POSITIVE_INFINITY
}
