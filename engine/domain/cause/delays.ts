/**
 * Delays and sides: how far one alert is before another, and how their entities are related.
 *
 * Delays are counted in bins that grow with them. Rows hold bins and sides, so both are fixed.
 */

/** Upper edges of the bins, milliseconds, excluded. */
export const delayEdges: readonly number[] = [
  2, 5, 10, 15, 20, 30, 40, 50, 60, 90, 120, 180, 300, 600, 1_800, 3_600,
].map((seconds) => seconds * 1000)
export const DELAY_BINS = delayEdges.length
/** Width of each bin, seconds. */
export const delayWidths: readonly number[] = delayEdges.map((edge, bin) => (edge - (delayEdges[bin - 1] ?? 0)) / 1000)
/** Candidate windows (the longest delay from a cause to its symptom), milliseconds: some of the edges. */
export const causeWindows: readonly number[] = [5, 10, 30, 60, 120, 300, 600, 1_800, 3_600].map(
  (seconds) => seconds * 1000,
)

/** The bin of a delay in milliseconds; -1 past the last. */
export function delayBin(delayMs: number): number {
  for (let bin = 0; bin < DELAY_BINS; bin++) if (delayMs < (delayEdges[bin] as number)) return bin
  return -1
}

/** How many of the first bins lie within a window. */
export function binsWithin(windowMs: number): number {
  let bins = 0
  while (bins < DELAY_BINS && (delayEdges[bins] as number) <= windowMs) bins++
  return Math.max(1, bins)
}

/**
 * How the entities of two alerts are related. `mutual`: each lists the other. `earlier_lists_later`: a caller before
 * its callee. `later_lists_earlier`: a callee before its caller.
 */
export const sides = ['same', 'mutual', 'earlier_lists_later', 'later_lists_earlier'] as const
export type Side = 0 | 1 | 2 | 3
export const SIDES = 4
/** The side of the two alerts in the other order. */
export function mirrorOf(side: Side): Side {
  return side < 2 ? side : ((5 - side) as Side)
}
/** True for sides that are the same in both orders. There a kind that follows itself is a repeat, not an effect. */
export function isSymmetric(side: Side): boolean {
  return side < 2
}
