/**
 * How many labelled events a labelled bucket stands for.
 *
 * A bucket is labelled once, however many events it has; a stream of which n events were labelled by chance would have
 * its large buckets labelled many times. So a bucket with the share q of all events counts as often as n random picks
 * would have met it, given that they met it: n q / (1 - (1 - q)^n), the inverse probability weight of a sample with
 * unequal chances (Horvitz, Thompson, "A generalization of sampling without replacement from a finite universe", 1952).
 * n is what the buckets themselves say: with that many picks their weights sum to n again.
 *
 * 1. Where buckets are single events, all weights are about 1; where one bucket is half of the stream, so is its weight.
 */

/** Picks are at most so many times the labelled buckets: a label is one person's word, not that of a thousand. */
const picksPerBucketMax = 4
const rounds = 60

/** The weight of a bucket with this share after so many picks. */
function weightOf(share: number, picks: number): number {
  return share >= 1 ? picks : (picks * share) / -Math.expm1(picks * Math.log1p(-share))
}

/** A weight for each labelled bucket, of its number of events; `total` is how many events there are in all. */
export function weighBuckets(events: readonly number[], total: number): number[] {
  const all = Math.max(total, events.reduce((sum, count) => sum + count, 0), 1)
  const shares = events.map((count) => Math.max(1, count) / all)
  const excess = (picks: number): number => shares.reduce((sum, share) => sum + weightOf(share, picks), 0) - picks
  let low = 1
  let high = Math.max(1, events.length * picksPerBucketMax)
  if (excess(high) > 0) low = high
  for (let round = 0; round < rounds && low < high; round++) {
    const middle = Math.sqrt(low * high)
    if (excess(middle) > 0) low = middle
    else high = middle
  }
  return shares.map((share) => weightOf(share, low))
}
