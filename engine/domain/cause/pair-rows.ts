/** The rows of precedence.ts: kinds, pairs of kinds, what is common to all; and the window that pairs show together. */
import { causeWindows, DELAY_BINS, delayEdges, isSymmetric, mirrorOf, SIDES, type Side } from './delays.js'

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
  /** By bin: occurrences where the earlier lists the later, then those where the later lists the earlier. */
  readonly oneWay: number[]
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
  return {
    n: zeros(DELAY_BINS),
    r: zeros(DELAY_BINS),
    sided: zeros(SIDES * DELAY_BINS),
    totals: zeros(SIDES),
    count: 0,
    oneWay: noOneWay(),
  }
}

export function noOneWay(): number[] {
  return zeros(2 * DELAY_BINS)
}

export function freshGlobal(): GlobalRow {
  return {
    alerts: 0,
    entities: 0,
    firstMs: 0,
    lastMs: 0,
    windowMs: 0,
    shape: zeros(SIDES * DELAY_BINS),
    shapeTotals: zeros(SIDES),
    rareN: zeros(SIDES * DELAY_BINS),
    rareR: zeros(SIDES * DELAY_BINS),
  }
}

/** Sides whose responsibilities count together: those that read the same in both orders, and each of the others. */
const sideGroups: readonly (readonly Side[])[] = [[0, 1], [2], [3]]

/**
 * The smallest window that holds most of what pairs have more in one order than in the other, milliseconds; 0 where they
 * show none. The other order of a caller before its callee is the callee before its caller, so there repeats of one kind
 * count too. In the order of the keys: sums come out the same whether rows were just made or read from the store.
 */
export function minedWindow(sortedKeys: readonly number[], get: (key: number) => PairRow | null): number {
  const excess = zeros(DELAY_BINS)
  for (const key of sortedKeys) {
    const row = get(key)
    if (row === null) continue
    const { earlier, later } = pairOf(key)
    const other = get(pairKey(later, earlier))
    for (const group of sideGroups) {
      if (earlier === later && isSymmetric(group[0] as Side)) continue
      const mirrors: readonly Side[] = group.map((side) => mirrorOf(side))
      if (other !== null && sumOver(row.totals, group) <= sumOver(other.totals, mirrors)) continue
      for (const side of group) addExcess(excess, row, other, side)
    }
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

/** Adds what `row` has more of on a side, bin by bin, than the other order of the pair. */
function addExcess(excess: number[], row: PairRow, other: PairRow | null, side: Side): void {
  const mirror = mirrorOf(side)
  for (let bin = 0; bin < DELAY_BINS; bin++) {
    const others = other?.sided[mirror * DELAY_BINS + bin] ?? 0
    add(excess, bin, (row.sided[side * DELAY_BINS + bin] as number) - others)
  }
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

function sumOver(totals: readonly number[], sides: readonly Side[]): number {
  return sides.reduce<number>((total, side) => total + (totals[side] as number), 0)
}
