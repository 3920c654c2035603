/**
 * How many labelled events a labelled bucket stands for.
 *
 * A bucket is labelled once, whatever its size. If n random events of the stream were labelled, its large buckets would
 * be labelled many times. So a bucket of b among T events counts as often as n random picks would have met it, given
 * that they met it:
 *
 *   f b / (1 - (1 - f)^b) with f = n / T
 *
 * This is the inverse probability weight of a sample with unequal probabilities. (Horvitz, Thompson, "A generalization
 * of sampling without replacement from a finite universe", 1952.) The weights must sum to n again, which gives n.
 *
 * 1. Where buckets are single events, all weights are about 1; where one bucket is half of the stream, so is its
 *    weight.
 * 2. No bucket stands for more events than it has: where all are labelled, each stands for its own.
 * 3. Where more events were labelled than buckets could tell, all weights together are the number of labelled events.
 */

/** The most picks for each labelled bucket: one label must not count as a thousand. */
const picksPerBucketMax = 4
const rounds = 60

/** The weight of a bucket of this size where this share of all events was picked. */
function weightOf(events: number, picked: number): number {
  return picked >= 1 ? events : (picked * events) / -Math.expm1(events * Math.log1p(-picked))
}

/** Buckets by their sizes: most are as large as another one. */
class Sizes {
  readonly #distinct: readonly number[]
  /** By bucket: the place of its size among the distinct ones. */
  readonly #places: Uint32Array

  constructor(sizes: Float64Array) {
    const places = new Map<number, number>()
    this.#places = new Uint32Array(sizes.length)
    for (let i = 0; i < sizes.length; i++) {
      const size = sizes[i] as number
      const place = places.get(size) ?? places.size
      places.set(size, place)
      this.#places[i] = place
    }
    this.#distinct = [...places.keys()]
  }

  /** The weight of each bucket where this share of all events was picked, times `share`. */
  weights(picked: number, share = 1): Float64Array {
    const bySize = Float64Array.from(this.#distinct, (size) => weightOf(size, picked) * share)
    return Float64Array.from(this.#places, (place) => bySize[place] as number)
  }

  /** Their sum, in the order of the buckets: by size it would be another in its last bits. */
  total(picked: number): number {
    const bySize = Float64Array.from(this.#distinct, (size) => weightOf(size, picked))
    const places = this.#places
    let sum = 0
    for (let i = 0; i < places.length; i++) sum += bySize[places[i] as number] as number
    return sum
  }
}

function sumOf(numbers: Float64Array): number {
  let sum = 0
  for (let i = 0; i < numbers.length; i++) sum += numbers[i] as number
  return sum
}

/**
 * The weights of labelled buckets by their sizes in events; `total` is the number of all events, `voted` the number of
 * labelled events of each bucket.
 */
export function weighBuckets(events: ArrayLike<number>, total: number, voted: ArrayLike<number> = []): Float64Array {
  const sizes = Float64Array.from(events, (count) => Math.max(1, count))
  const all = Math.max(total, sumOf(sizes))
  const bySize = new Sizes(sizes)
  const excess = (picks: number): number => bySize.total(picks / all) - picks
  let low = Math.min(1, all)
  let high = Math.max(low, Math.min(all, sizes.length * picksPerBucketMax))
  if (excess(high) > 0) low = high
  for (let round = 0; round < rounds && low < high; round++) {
    const middle = Math.sqrt(low * high)
    if (excess(middle) > 0) low = middle
    else high = middle
  }
  const labelled = sumOf(Float64Array.from(voted))
  if (labelled <= low) return bySize.weights(low / all)
  const picked = Math.min(1, labelled / all)
  return bySize.weights(picked, labelled / bySize.total(picked))
}
