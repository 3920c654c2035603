/**
 * Delays and sides: the words in which one alert lies before another.
 *
 * Delays are put into bins that grow with them; both are stored, so edges are fixed for good.
 */

/** Upper edges of the bins, milliseconds, excluded. */
export const delayEdges: readonly number[] = [
  2, 5, 10, 15, 20, 30, 40, 50, 60, 90, 120, 180, 300, 600, 1_800, 3_600,
].map((seconds) => seconds * 1000)
export const DELAY_BINS = delayEdges.length
/** Width of each bin, seconds. */
export const delayWidths: readonly number[] = delayEdges.map((edge, bin) => (edge - (delayEdges[bin - 1] ?? 0)) / 1000)
/** Windows that are tried for "a cause lies at most so far before its symptom", milliseconds: some of the edges. */
export const causeWindows: readonly number[] = [5, 10, 30, 60, 120, 300, 600, 1_800, 3_600].map(
  (seconds) => seconds * 1000,
)

/** The bin of a delay in milliseconds; -1 for one that is longer than any. */
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
 * Where the earlier alert stands to the later one: about the same thing; each lists the other; the earlier lists the
 * later (a caller before its callee); the later lists the earlier (a callee before its caller).
 */
export const sides = ['same', 'mutual', 'earlier_lists_later', 'later_lists_earlier'] as const
export type Side = 0 | 1 | 2 | 3
export const SIDES = 4
/** How a side reads with the two alerts in the other order. */
export function mirrorOf(side: Side): Side {
  return side < 2 ? side : ((5 - side) as Side)
}
/** Sides that read the same in both orders: repeats of one kind there are no cause and effect. */
export function isSymmetric(side: Side): boolean {
  return side < 2
}
