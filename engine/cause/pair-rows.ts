/** The rows of precedence.ts: kinds, pairs of kinds, what is common to all; and the window that pairs show together. */
import { causeWindows, DELAY_BINS, delayEdges, SIDES } from './delays.js'

export interface KindRow {
  readonly name: string
  count: number
  /** Entities that alerts of the kind were next to, added up. */
  listed: number
  /** Alerts of the kind that came by themselves. */
  alone: number
  /** Alerts of the kind that others were found to follow from, themselves from none. */
  starts: number
}

export interface PairRow {
  /** Over all sides, by bin: occurrences, and responsibilities. */
  readonly n: number[]
  readonly r: number[]
  /** By side and bin: responsibilities; by side: their sum. */
  readonly sided: number[]
  readonly totals: number[]
  /** All occurrences. */
  count: number
}

export interface GlobalRow {
  alerts: number
  entities: number
  firstMs: number
  lastMs: number
  /** 0 before any is learned. */
  windowMs: number
  /** By side and bin: responsibilities of all pairs; occurrences and responsibilities of pairs seen rarely. */
  readonly shape: number[]
  readonly shapeTotals: number[]
  readonly rareN: number[]
  readonly rareR: number[]
}

const windowShare = 0.85

const zeros = (count: number): number[] => new Array<number>(count).fill(0)

export function freshPair(): PairRow {
  return { n: zeros(DELAY_BINS), r: zeros(DELAY_BINS), sided: zeros(SIDES * DELAY_BINS), totals: zeros(SIDES), count: 0 }
}

export function freshGlobal(): GlobalRow {
  return {
    alerts: 0, entities: 0, firstMs: 0, lastMs: 0, windowMs: 0,
    shape: zeros(SIDES * DELAY_BINS), shapeTotals: zeros(SIDES), rareN: zeros(SIDES * DELAY_BINS), rareR: zeros(SIDES * DELAY_BINS),
  }
}

/**
 * The smallest window that holds most of what pairs have more in one order than in the other, milliseconds; 0 where they
 * show none. In the order of the keys: sums come out the same whether rows were just made or read from the store.
 */
export function minedWindow(pairs: Iterable<readonly [number, PairRow]>, get: (key: number) => PairRow | null): number {
  const excess = zeros(DELAY_BINS)
  for (const [key, row] of [...pairs].sort(([one], [other]) => one - other)) {
    const { earlier, later } = pairOf(key)
    const other = get(pairKey(later, earlier))
    if (earlier === later || (other !== null && sum(row.totals) <= sum(other.totals))) continue
    for (let bin = 0; bin < DELAY_BINS; bin++) add(excess, bin, (row.r[bin] as number) - (other?.r[bin] ?? 0))
  }
  const total = excess.reduce((all, each) => all + Math.max(0, each), 0)
  if (total === 0) return 0
  let held = 0
  for (const [bin, each] of excess.entries()) {
    held += Math.max(0, each)
    const edge = delayEdges[bin] as number
    if (!causeWindows.includes(edge) || held < windowShare * total) continue
    return edge
  }
  return 0
}

const KINDS = 65_536

/** The number of a pair's row: below 2^32. */
export function pairKey(earlier: number, later: number): number {
  return earlier * KINDS + later
}

function pairOf(key: number): { earlier: number; later: number } {
  return { earlier: Math.floor(key / KINDS), later: key % KINDS }
}

export function add(numbers: number[], at: number, by: number): void {
  numbers[at] = (numbers[at] as number) + by
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
