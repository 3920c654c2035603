/**
 * Precedence, mined from the stream without a label: which kind of alert follows from which, on which side, how fast.
 *
 * Owns: the statistics of kinds and of pairs of kinds, and what they say of a link. Leaves out: which alerts are
 * candidates (neighbourhood.ts), what feedback says of pairs (lessons.ts).
 *
 * The model is a Hawkes process over kinds (A. G. Hawkes 1971), estimated by expectation maximisation as alerts come
 * (T. J. Lewis and G. Mohler 2011; one step an alert). The rate of an alert of kind b is a background plus, for each
 * candidate a before it, m(a,b,side) g(delay), m the effects of kind b that one a has, g a density over bins of delay,
 * shrunk towards that of the side. The share of the rate that a has is its responsibility r; responsibilities are added
 * up by pair and bin. So what A explains is not held to follow from B, which only tends to come with A.
 *
 * A pair is held to be cause and effect where
 * 1. of its occurrences within the window enough were its doing: (sum r + 6 s) / (n + 6) >= 1/4, s the same share over
 *    pairs seen rarely so far, on that side (1/2 before anything was seen);
 * 2. it is not as common in the other order: n + 2 >= 3/2 n', sum r + 1 >= 2 sum r';
 * 3. it is not a repeat of one kind on one thing, or on two that list each other.
 * Where one of two lists the other and not the other way round (a caller and its callee), 1 and 2 look at that side alone,
 * s the pair's share on all sides; so one kind may follow from itself there: a symptom passes on from callee to caller.
 * The window, where it is not set, is the smallest of a fixed list that holds 85 % of what pairs have more in one order
 * than in the other.
 */
import { causeBounds } from './bounds.js'
import { binsWithin, DELAY_BINS, delayWidths, isSymmetric, mirrorOf, type Side } from './delays.js'
import { isForward, onAllSides, onOneSide, sumOf } from './pair-evidence.js'
import {
  add,
  freshGlobal,
  freshPair,
  minedWindow,
  pairKey,
  type GlobalRow,
  type KindRow,
  type PairRow,
} from './pair-rows.js'
import { Rows, type CauseStore } from './cause-store.js'

/** What an alert lay behind, as far as precedence looks at it. */
export interface Precedent {
  /** Kind of the earlier alert. */
  readonly kind: number
  readonly side: Side
  readonly bin: number
}

const shareMin = 0.25
const shareWeight = 6
const rarely = 20
/** Occurrences that a pair's share on all sides counts as, where one side is looked at by itself. */
const sideWeight = 30
/** From so many responsibilities on, in both orders, the sides of a pair tell its order. */
const telling = 5
const shapeWeight = 5
/** A pair's part of the rate before it has earned any, and what is taken off so that chance alone earns none. */
const massPrior = 0.3
const massOff = 1
const windowStart = 60_000
const windowEvery = 500
/** The past counts half after so many alerts. */
const halfLife = 100_000
/** What is believed of a link. */
export const BELIEVED = 0.8
export const DOUBTED = 0.1

export class Precedence {
  readonly #kinds: Rows<KindRow>
  readonly #pairs: Rows<PairRow>
  readonly #globals: Rows<GlobalRow>
  readonly #global: GlobalRow
  readonly #byName = new Map<string, number>()
  readonly #fixedWindowMs: number
  /** Of the precedents that are being looked at. */
  readonly #rates = new Float64Array(causeBounds.causeCandidatesMax)
  #pairCount = 0
  /** In order, as long as there are as many. */
  #pairKeys: number[] = []

  /** `fixedWindowMs` 0: the window is learned. */
  constructor(causeStore: CauseStore, fixedWindowMs: number) {
    this.#fixedWindowMs = fixedWindowMs
    this.#kinds = new Rows(causeStore, 'kinds')
    this.#pairs = new Rows(causeStore, 'pairs')
    this.#globals = new Rows(causeStore, 'global')
    this.#kinds.loadAll()
    this.#pairs.loadAll()
    for (const [index, { name }] of this.#kinds.entries()) this.#byName.set(name, index)
    this.#pairCount = this.#pairs.size
    this.#global = this.#globals.get(0) ?? freshGlobal()
    this.#globals.hold(0, this.#global)
  }

  /** A cause lies at most so far before its symptom, milliseconds. */
  get windowMs(): number {
    return this.#fixedWindowMs > 0 ? this.#fixedWindowMs : this.#global.windowMs || windowStart
  }

  /** The number of a kind. Over causeBounds.causeKindsMax all further kinds are one, number 0. */
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

  /** The share of a kind's alerts that others follow from. */
  startRate(kind: number): number {
    const row = this.#kinds.get(kind)
    return row === null ? 0 : (row.starts + 0.5) / (row.count + 2)
  }

  /** An alert of that kind turned out to start something; or not after all. */
  countStart(kind: number, by: 1 | -1): void {
    const row = this.#kinds.get(kind)
    if (row === null) return
    row.starts = Math.max(0, row.starts + by)
    this.#kinds.touch(kind)
  }

  countEntity(): void {
    this.#global.entities++
  }

  /** What is believed of the link between an alert and one before it, by the stream alone: 0 to 1. */
  belief(earlier: number, later: number, side: Side): number {
    if (earlier === later && isSymmetric(side)) return 0
    const bins = binsWithin(this.windowMs)
    const forward = this.#pairs.get(pairKey(earlier, later))
    const backward = this.#pairs.get(pairKey(later, earlier))
    const { rareN, rareR } = this.#global
    const usual = (sumOf(rareR, side * DELAY_BINS, bins) + 1.5) / (sumOf(rareN, side * DELAY_BINS, bins) + 3)
    const there = onAllSides(forward, bins)
    const back = onAllSides(backward, bins)
    const share = (there.r + shareWeight * usual) / (there.n + shareWeight)
    if (isSymmetric(side)) return share >= shareMin && isForward(there, back) ? BELIEVED : DOUBTED
    const thereSo = onOneSide(forward, side, bins)
    const backSo = onOneSide(backward, mirrorOf(side), bins)
    if ((thereSo.r + sideWeight * share) / (thereSo.n + sideWeight) < shareMin) return DOUBTED
    // Where lists are cut, or one side has not been heard of yet, a side means little: the pair counts as it does elsewhere.
    const bySide = earlier === later || thereSo.r + backSo.r >= telling
    return (bySide ? isForward(thereSo, backSo) : isForward(there, back)) ? BELIEVED : DOUBTED
  }

  /** An alert came: what lay before it shares the credit for it. Times in milliseconds; `degree`: entities next to it. */
  observe(kind: number, timeMs: number, degree: number, precedents: readonly Precedent[]): void {
    const global = this.#global
    if (global.alerts === 0) [global.firstMs, global.lastMs] = [timeMs, timeMs]
    global.lastMs = Math.max(global.lastMs, timeMs)
    global.alerts++
    const own = this.#kinds.get(kind) as KindRow
    const seconds = Math.max(600, (global.lastMs - global.firstMs) / 1000)
    const background = (own.alone + 1) / Math.max(1, global.entities) / seconds
    const rates = this.#rates
    let total = background
    for (let at = 0; at < precedents.length; at++) {
      const { kind: earlier, side, bin } = precedents[at] as Precedent
      total += rates[at] = this.#rate(earlier, kind, side, bin)
    }
    for (let at = 0; at < precedents.length; at++) {
      const { kind: earlier, side, bin } = precedents[at] as Precedent
      this.#credit(earlier, kind, side, bin, (rates[at] as number) / total)
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

  /** Effects of kind `later` a second that one earlier alert has, at that delay. */
  #rate(earlier: number, later: number, side: Side, bin: number): number {
    const cause = this.#kinds.get(earlier)
    if (cause === null) return 0
    const causes = (side === 0 ? cause.count : cause.listed) + 1
    const { shape, shapeTotals } = this.#global
    const at = side * DELAY_BINS + bin
    const row = this.#pairs.get(pairKey(earlier, later))
    const total = row === null ? 0 : (row.totals[side] as number)
    const general = ((shape[at] as number) + 0.5) / ((shapeTotals[side] as number) + 0.5 * DELAY_BINS)
    const density = ((row === null ? 0 : (row.sided[at] as number)) + shapeWeight * general) / (total + shapeWeight)
    const mass = total < massOff ? massPrior : total - massOff + massPrior
    return ((mass / causes) * density) / (delayWidths[bin] as number)
  }

  #credit(earlier: number, later: number, side: Side, bin: number, responsibility: number): void {
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
    if ((earlier === later && isSymmetric(side)) || row.count >= rarely) return
    add(rareN, at, 1)
    add(rareR, at, responsibility)
  }

  /** What was seen long ago counts less: kinds change their meaning, and systems their wiring. */
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
