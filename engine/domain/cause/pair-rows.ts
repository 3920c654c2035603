/**
 * The rows of hawkes.ts: kinds, pairs of kinds, sums over all pairs. And what follows from them: the evidence of a
 * pair, and the window that all pairs show together.
 */
import { causeWindows, DELAY_BINS, delayEdges, isSymmetric, mirrorOf, SIDES, type Side } from './delays.js'

export interface KindRow {
  readonly name: string
  count: number
  /** Sum of the related entities of its alerts. */
  listed: number
  /** Sum of the background's responsibilities for its alerts. */
  alone: number
  /** Its alerts that follow from none, and that others follow from. */
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
  /** Occurrences by bin: first those where the earlier lists the later, then those the other way round. */
  readonly oneWay: number[]
}

export interface GlobalRow {
  alerts: number
  entities: number
  firstMs: number
  lastMs: number
  /** 0 before one is mined. */
  windowMs: number
  /** By side and bin: responsibilities of all pairs; occurrences and responsibilities of rare pairs. */
  readonly shape: number[]
  readonly shapeTotals: number[]
  readonly rareN: number[]
  readonly rareR: number[]
}

/** The share of the excess that the window holds. */
const windowShare = 0.85
/** Its last step holds this much for each second, as a share of what is before it; else it is shorter. */
const densityMin = 0.25
/** The excess of a pair counts from so many standard deviations on: that of chance would widen the window. */
const orderDeviations = 3
/** The window that little evidence suggests, milliseconds, and the excess that it counts as. */
const windowUsual = 60_000
const windowWeight = 60

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

/** Sides that count together: the symmetric ones; each other one alone. */
const sideGroups: readonly (readonly Side[])[] = [[0, 1], [2], [3]]

/**
 * The smallest window, in milliseconds, that holds most of the excess of one order of a pair over the other; 0 where
 * there is none. On an asymmetric side the other order is the mirror side, so a kind that follows itself counts there
 * too. Rows are summed in the order of their keys: the sum is the same for rows in memory and from the store.
 */
export function minedWindow(sortedKeys: readonly number[], get: (key: number) => PairRow | null): number {
  const excess: number[] = delayEdges.map((edge) => (edge === windowUsual ? windowWeight : 0))
  for (const key of sortedKeys) {
    const row = get(key)
    if (row === null) continue
    const { earlier, later } = pairOf(key)
    const other = get(pairKey(later, earlier))
    for (const group of sideGroups) {
      if (earlier === later && isSymmetric(group[0] as Side)) continue
      addExcess(excess, row, other, group)
    }
  }
  return windowHolding(excess)
}

/**
 * The smallest candidate window with `windowShare` of the excess, without last steps that are thin; 0 where there is
 * none. Later than its effects a cause still has a small excess, over minutes as much as all before.
 */
function windowHolding(excess: readonly number[]): number {
  const within = (window: number): number =>
    excess.reduce((sum, each, bin) => sum + ((delayEdges[bin] as number) <= window ? Math.max(0, each) : 0), 0)
  const total = within(Infinity)
  if (total <= windowWeight) return 0
  let last = causeWindows.findIndex((window) => within(window) >= windowShare * total)
  for (; last > 0; last--) {
    const [before, window] = [causeWindows[last - 1] as number, causeWindows[last] as number]
    const held = within(before)
    if ((within(window) - held) / (window - before) >= (densityMin * held) / before) break
  }
  return causeWindows[last] ?? 0
}

/** Adds the excess of `row` over the other order of the pair, bin by bin, if it surely has more on these sides. */
function addExcess(excess: number[], row: PairRow, other: PairRow | null, group: readonly Side[]): void {
  const mirrors: readonly Side[] = group.map((side) => mirrorOf(side))
  const ahead = sumOver(row.totals, group)
  const back = other === null ? 0 : sumOver(other.totals, mirrors)
  if (ahead - back <= orderDeviations * Math.sqrt(ahead + back)) return
  for (const side of group) {
    const mirror = mirrorOf(side)
    for (let bin = 0; bin < DELAY_BINS; bin++) {
      const others = other?.sided[mirror * DELAY_BINS + bin] ?? 0
      add(excess, bin, (row.sided[side * DELAY_BINS + bin] as number) - others)
    }
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

/** What a pair has shown within the first bins, on all sides or on one. */
export interface PairEvidence {
  /** Occurrences, and the sum of responsibilities. */
  readonly n: number
  readonly r: number
}

const nothing: PairEvidence = { n: 0, r: 0 }

export function onAllSides(pair: PairRow | null, bins: number): PairEvidence {
  return pair === null ? nothing : { n: sumOf(pair.n, 0, bins), r: sumOf(pair.r, 0, bins) }
}

export function onOneSide(pair: PairRow | null, side: Side, bins: number): PairEvidence {
  if (pair === null) return nothing
  return { n: sumOf(pair.oneWay, (side - 2) * DELAY_BINS, bins), r: sumOf(pair.sided, side * DELAY_BINS, bins) }
}

/**
 * True where the other order is not as common. Kinds that come in bursts meet in both orders about as often; then far
 * greater responsibilities tell.
 */
export function isForward(there: PairEvidence, back: PairEvidence): boolean {
  if (there.n + 2 >= 1.5 * back.n) return there.r + 1 >= 2 * back.r
  return there.n + 2 >= back.n && there.r + 1 >= 4 * (back.r + 1)
}

export function sumOf(numbers: readonly number[], from: number, count: number): number {
  let sum = 0
  for (let at = from; at < from + count; at++) sum += numbers[at] as number
  return sum
}
