/**
 * Latencies by the million in a few kilobytes: exact up to 255 microseconds, within 0.8 % above.
 *
 * Log-linear buckets after Gil Tene's HdrHistogram: each power of two is cut into 128 equal parts.
 */

const subBuckets = 128
const exactBelow = 2 * subBuckets
/** Up to 2^36 microseconds: 19 hours. */
const powers = 29

function bucketOf(micros: number): number {
  if (micros < exactBelow) return micros
  const power = Math.min(35, 31 - Math.clz32(Math.min(micros, 0xffffffff)))
  const shift = power - 7
  return exactBelow + (shift - 1) * subBuckets + (Math.floor(micros / 2 ** shift) - subBuckets)
}

/** The largest value that falls into a bucket. */
function topOf(bucket: number): number {
  if (bucket < exactBelow) return bucket
  const shift = Math.floor((bucket - exactBelow) / subBuckets) + 1
  const part = ((bucket - exactBelow) % subBuckets) + subBuckets
  return (part + 1) * 2 ** shift - 1
}

export class Histogram {
  readonly #counts = new Float64Array(exactBelow + powers * subBuckets)
  #count = 0
  #sum = 0
  #max = 0

  /** Microseconds; fractions are cut off, negative numbers count as 0. */
  record(micros: number): void {
    const value = micros > 0 ? Math.min(Math.floor(micros), 0xffffffff) : 0
    const bucket = bucketOf(value)
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#count++
    this.#sum += value
    if (value > this.#max) this.#max = value
  }

  get count(): number {
    return this.#count
  }

  /** Microseconds; 0 without values. */
  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }

  get max(): number {
    return this.#max
  }

  /** The value that a share `p` (0 to 100 percent) of all values does not exceed, in microseconds; 0 without values. */
  percentile(p: number): number {
    if (this.#count === 0) return 0
    const rank = Math.max(1, Math.ceil((p / 100) * this.#count))
    let seen = 0
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      seen += this.#counts[bucket] as number
      if (seen >= rank) return Math.min(topOf(bucket), this.#max)
    }
    return this.#max
  }

  /** Adds all values of another. */
  merge(other: Histogram): void {
    for (let i = 0; i < this.#counts.length; i++) {
      this.#counts[i] = (this.#counts[i] as number) + (other.#counts[i] as number)
    }
    this.#count += other.#count
    this.#sum += other.#sum
    this.#max = Math.max(this.#max, other.#max)
  }
}
