/** What a pair of kinds has shown within a window, on all sides together or on one: what precedence.ts judges it by. */
import { DELAY_BINS, type Side } from './delays.js'
import type { PairRow } from './pair-rows.js'

/** What was seen of a pair within the first bins. */
export interface Seen {
  readonly n: number
  readonly r: number
}

const nothing: Seen = { n: 0, r: 0 }

export function onAllSides(pair: PairRow | null, bins: number): Seen {
  return pair === null ? nothing : { n: sumOf(pair.n, 0, bins), r: sumOf(pair.r, 0, bins) }
}

export function onOneSide(pair: PairRow | null, side: Side, bins: number): Seen {
  if (pair === null) return nothing
  return { n: sumOf(pair.oneWay, (side - 2) * DELAY_BINS, bins), r: sumOf(pair.sided, side * DELAY_BINS, bins) }
}

/** Not as common in the other order. */
export function isForward(there: Seen, back: Seen): boolean {
  return there.n + 2 >= 1.5 * back.n && there.r + 1 >= 2 * back.r
}

export function sumOf(numbers: readonly number[], from: number, count: number): number {
  let sum = 0
  for (let at = from; at < from + count; at++) sum += numbers[at] as number
  return sum
}
