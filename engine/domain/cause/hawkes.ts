/**
 * Which kind of alert follows from which, on which side, how fast: mined from the stream without a label.
 *
 * Owns: the statistics of kinds and of pairs of kinds, and the belief in a link. Leaves out: which alerts are
 * candidates (candidate-index.ts), what feedback says of pairs (feedback-weights.ts).
 *
 * The model is a Hawkes process over kinds (A. G. Hawkes 1971). It is estimated by expectation maximisation as alerts
 * arrive, one step for each (T. J. Lewis and G. Mohler 2011).
 *
 *   rate of kind b = background + sum over candidates a of m(a, b, side) g(delay)
 *
 * Here m is how many effects of kind b one alert a has. The density g over bins of delay is shrunk towards that of the
 * side. The share of the rate that is due to a is its responsibility r; it is summed by pair and bin. So what A
 * explains is not attributed to B, which only tends to occur with A.
 *
 * A pair is cause and effect where all three hold:
 * 1. Enough of its n occurrences within the window were its doing: (sum r + 6 s) / (n + 6) >= 1/4. The prior s is the
 *    same share over rare pairs on that side; it is 1/2 at the start.
 * 2. The other order is not as common: n + 2 >= 3/2 n' and sum r + 1 >= 2 sum r'; or n + 2 >= n' and
 *    sum r + 1 >= 4 (sum r' + 1).
 * 3. It is not a repeat of one kind on one entity, or on two that list each other.
 *
 * Where only one of two entities lists the other, 1 and 2 apply to that side alone: callers differ from callees. There
 * s is the pair's share on all sides. So a kind may follow from itself there: a symptom passes on from callee to
 * caller.
 *
 * The window, unless it is set, is the smallest of a fixed list that holds 85 % of the excess of one order of pairs
 * over the other, without a thin tail. Only an excess that is no chance counts; with little evidence it is 60 s.
 */
import { causeBounds } from './bounds.js'
import { PartRows, type CauseReads, type CauseStore } from './cause-store.js'
import { binsWithin, DELAY_BINS, delayWidths, isSymmetric, mirrorOf, type Side } from './delays.js'
import {
  add,
  freshGlobal,
  freshPair,
  isForward,
  minedWindow,
  onAllSides,
  onOneSide,
  pairKey,
  sumOf,
  type GlobalRow,
  type KindRow,
  type PairRow,
} from './pair-rows.js'

/** An earlier alert that may be the cause of a later one. */
export interface Predecessor {
  /** Kind of the earlier alert. */
  readonly kind: number
  readonly side: Side
  readonly bin: number
}

/** The least share of a pair's occurrences that were its doing; and the weight of the prior s, in occurrences. */
const shareMin = 0.25
const shareWeight = 6
/** Pairs with fewer occurrences are rare. */
const rareMax = 20
/** The weight of a pair's share on all sides, in occurrences, where one side is judged alone. */
const sideWeight = 30
/** The least sum of responsibilities, in both orders, for the sides of a pair to tell its order. */
const tellingMin = 5
/** The weight of the side's density g, in responsibilities. */
const shapeWeight = 5
/** The productivity m of a pair without evidence; and a deduction, so that chance alone adds none. */
const effectsPrior = 0.3
const effectsDeducted = 1
/** The window before one is mined, milliseconds; and how often it is mined, in alerts. */
const windowStart = 60_000
const windowEvery = 500
/** The weight of the past is halved after this many alerts. */
const halfLife = 100_000
/** The number of the row of the whole process. */
const GLOBAL = 0
/** The belief in a link. */
export const BELIEVED = 0.8
export const DOUBTED = 0.1

function windowOf({ windowMs }: Pick<GlobalRow, 'windowMs'>, fixedWindowMs: number): number {
  return fixedWindowMs > 0 ? fixedWindowMs : windowMs || windowStart
}

/** The window of a job as stored, without its kinds and pairs; as HawkesProcess.windowMs. */
export function storedWindowMs(reads: CauseReads, fixedWindowMs: number): number {
  return windowOf((reads.get('global', GLOBAL) as GlobalRow | undefined) ?? freshGlobal(), fixedWindowMs)
}

export class HawkesProcess {
  readonly #kinds: PartRows<KindRow>
  readonly #pairs: PartRows<PairRow>
  readonly #globals: PartRows<GlobalRow>
  readonly #global: GlobalRow
  readonly #byName = new Map<string, number>()
  readonly #fixedWindowMs: number
  /** The rate of each predecessor in `observe`. */
  readonly #rates = new Float64Array(causeBounds.causeCandidatesMax)
  #pairCount = 0
  /** Ascending; outdated where the count differs. */
  #pairKeys: number[] = []

  /** `fixedWindowMs` 0: the window is mined. */
  constructor(causeStore: CauseStore, fixedWindowMs: number) {
    this.#fixedWindowMs = fixedWindowMs
    this.#kinds = new PartRows(causeStore, 'kinds')
    this.#pairs = new PartRows(causeStore, 'pairs')
    this.#globals = new PartRows(causeStore, 'global')
    this.#kinds.loadAll()
    this.#pairs.loadAll()
    for (const [index, { name }] of this.#kinds.entries()) this.#byName.set(name, index)
    this.#pairCount = this.#pairs.size
    this.#global = this.#globals.get(GLOBAL) ?? freshGlobal()
    this.#globals.hold(GLOBAL, this.#global)
  }

  /** A cause is at most this much earlier than its symptom, milliseconds. */
  get windowMs(): number {
    return windowOf(this.#global, this.#fixedWindowMs)
  }

  /** The number of a kind. Kinds beyond causeBounds.causeKindsMax share number 0. */
  kindOf(name: string): number {
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const isOver = this.#byName.size >= causeBounds.causeKindsMax
    const index = isOver ? 0 : this.#byName.size + 1
    if (isOver && this.#kinds.get(0) !== null) return 0
    this.#kinds.set(index, { name: isOver ? '' : name, count: 0, listed: 0, alone: 0, starts: 0 })
    if (!isOver) this.#byName.set(name, index)
    return index
  }

  nameOf(kind: number): string {
    return this.#kinds.get(kind)?.name ?? ''
  }

  /** The share of a kind's alerts that start something: others follow from them, and they from none. */
  startRate(kind: number): number {
    const row = this.#kinds.get(kind)
    return row === null ? 0 : (row.starts + 0.5) / (row.count + 2)
  }

  /** Counts an alert of this kind that starts something, or takes it back. */
  countStart(kind: number, by: 1 | -1): void {
    const row = this.#kinds.get(kind)
    if (row === null) return
    row.starts = Math.max(0, row.starts + by)
    this.#kinds.touch(kind)
  }

  countEntity(): void {
    this.#global.entities++
  }

  /** The belief in the link between an alert and one before it, by the stream alone: 0 to 1. */
  belief(earlier: number, later: number, side: Side): number {
    if (earlier === later && isSymmetric(side)) return 0
    const bins = binsWithin(this.windowMs)
    const forward = this.#pairs.get(pairKey(earlier, later))
    const backward = this.#pairs.get(pairKey(later, earlier))
    const { rareN, rareR } = this.#global
    const prior = (sumOf(rareR, side * DELAY_BINS, bins) + 1.5) / (sumOf(rareN, side * DELAY_BINS, bins) + 3)
    const ahead = onAllSides(forward, bins)
    const back = onAllSides(backward, bins)
    const share = (ahead.r + shareWeight * prior) / (ahead.n + shareWeight)
    if (isSymmetric(side)) return share >= shareMin && isForward(ahead, back) ? BELIEVED : DOUBTED
    const aheadOnSide = onOneSide(forward, side, bins)
    const backOnSide = onOneSide(backward, mirrorOf(side), bins)
    if ((aheadOnSide.r + sideWeight * share) / (aheadOnSide.n + sideWeight) < shareMin) return DOUBTED
    // Where lists are cut or a side has little evidence, the evidence of all sides decides.
    const bySide = earlier === later || aheadOnSide.r + backOnSide.r >= tellingMin
    return (bySide ? isForward(aheadOnSide, backOnSide) : isForward(ahead, back)) ? BELIEVED : DOUBTED
  }

  /** Updates the statistics by an alert and its predecessors. Time in milliseconds; `degree`: its related entities. */
  observe(kind: number, timeMs: number, degree: number, predecessors: readonly Predecessor[]): void {
    const global = this.#global
    if (global.alerts === 0) [global.firstMs, global.lastMs] = [timeMs, timeMs]
    global.lastMs = Math.max(global.lastMs, timeMs)
    global.alerts++
    const own = this.#kinds.get(kind) as KindRow
    const seconds = Math.max(600, (global.lastMs - global.firstMs) / 1000)
    const background = (own.alone + 1) / Math.max(1, global.entities) / seconds
    const rates = this.#rates
    let total = background
    for (let at = 0; at < predecessors.length; at++) {
      total += rates[at] = this.#rate(predecessors[at] as Predecessor, kind)
    }
    for (let at = 0; at < predecessors.length; at++) {
      this.#credit(predecessors[at] as Predecessor, kind, (rates[at] as number) / total)
    }
    own.alone += background / total
    own.count++
    own.listed += Math.max(1, degree)
    this.#kinds.touch(kind)
    this.#globals.touch(0)
    if (global.alerts % windowEvery === 0)
      global.windowMs = minedWindow(this.#sortedPairs(), (key) => this.#pairs.get(key)) || global.windowMs
    if (global.alerts % halfLife === 0) this.#fade()
  }

  #sortedPairs(): readonly number[] {
    if (this.#pairKeys.length !== this.#pairCount) {
      this.#pairKeys = []
      for (const [key] of this.#pairs.entries()) this.#pairKeys.push(key)
      this.#pairKeys.sort((one, other) => one - other)
    }
    return this.#pairKeys
  }

  /** The rate m g of kind `later` that a predecessor adds at its delay, a second. */
  #rate({ kind: earlier, side, bin }: Predecessor, later: number): number {
    const cause = this.#kinds.get(earlier)
    if (cause === null) return 0
    const causes = (side === 0 ? cause.count : cause.listed) + 1
    const { shape, shapeTotals } = this.#global
    const at = side * DELAY_BINS + bin
    const row = this.#pairs.get(pairKey(earlier, later))
    const total = row === null ? 0 : (row.totals[side] as number)
    const general = ((shape[at] as number) + 0.5) / ((shapeTotals[side] as number) + 0.5 * DELAY_BINS)
    const density = ((row === null ? 0 : (row.sided[at] as number)) + shapeWeight * general) / (total + shapeWeight)
    const effects = total < effectsDeducted ? effectsPrior : total - effectsDeducted + effectsPrior
    return ((effects / causes) * density) / (delayWidths[bin] as number)
  }

  /** Adds a predecessor's responsibility for an alert of kind `later`. */
  #credit({ kind: earlier, side, bin }: Predecessor, later: number, responsibility: number): void {
    const key = pairKey(earlier, later)
    let row = this.#pairs.get(key)
    if (row === null) {
      if (this.#pairCount >= causeBounds.causePairsMax) return
      this.#pairCount++
      row = this.#pairs.set(key, freshPair())
    }
    const at = side * DELAY_BINS + bin
    const { shape, shapeTotals, rareN, rareR } = this.#global
    row.count++
    add(row.n, bin, 1)
    add(row.r, bin, responsibility)
    add(row.sided, at, responsibility)
    add(row.totals, side, responsibility)
    if (!isSymmetric(side)) add(row.oneWay, (side - 2) * DELAY_BINS + bin, 1)
    this.#pairs.touch(key)
    add(shape, at, responsibility)
    add(shapeTotals, side, responsibility)
    if ((earlier === later && isSymmetric(side)) || row.count >= rareMax) return
    add(rareN, at, 1)
    add(rareR, at, responsibility)
  }

  /** Halves the weight of the past: kinds change their meaning, and systems their topology. */
  #fade(): void {
    const halve = (numbers: number[]): void => numbers.forEach((each, at) => (numbers[at] = each / 2))
    for (const [key, row] of this.#pairs.entries()) {
      for (const numbers of [row.n, row.r, row.sided, row.totals, row.oneWay]) halve(numbers)
      row.count /= 2
      this.#pairs.touch(key)
    }
    for (const [key, row] of this.#kinds.entries()) {
      Object.assign(row, { count: row.count / 2, listed: row.listed / 2, alone: row.alone / 2, starts: row.starts / 2 })
      this.#kinds.touch(key)
    }
    const global = this.#global
    global.firstMs = (global.firstMs + global.lastMs) / 2
    for (const numbers of [global.shape, global.shapeTotals, global.rareN, global.rareR]) halve(numbers)
  }

  flush(): void {
    this.#kinds.flush()
    this.#pairs.flush()
    this.#globals.flush()
  }
}
