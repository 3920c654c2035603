/** The ascending list of the distances to the nearest references. */

/** The nearest references that count in the outlier check. */
export const nearestCount = 15

/** Inserts a distance into the ascending list of the nearest, `found` of them so far; past its end the largest goes. */
export function insert(nearest: Float64Array, found: number, distance: number): void {
  let place = Math.min(found, nearestCount - 1)
  while (place > 0 && (nearest[place - 1] as number) > distance) nearest[place] = nearest[--place] as number
  nearest[place] = distance
}
