/**
 * What feedback teaches of precedence: a label on an alert is a label on all the pairs that it came with.
 *
 * Owns: learning, and the weight of a pair. Leaves out: what the stream alone says (precedence.ts).
 *
 * A noisy-or (J. Pearl 1988): an alert is a symptom unless every candidate within the window fails to be its cause,
 * P(symptom) = 1 - (1 - leak) prod (1 - w_pair). An alert that is no symptom speaks against each of its pairs; one that is
 * speaks for them together, shared out by expectation maximisation. The weight of a pair is shrunk towards the belief of
 * the stream, which counts as one label: w = (belief + s) / (1 + n). Two things are chosen by how likely each half of the
 * labels is by what the other half teaches: the window, of a list and with a price for leaving the one mined from the
 * stream, and whether a caller before its callee is another pair than the callee before its caller.
 */
import { causeWindows, isSymmetric, type Side } from './delays.js'

/** One labelled alert with what lay before it. */
export interface LabelledAlert {
  readonly kind: number
  readonly isSymptom: boolean
  readonly precedents: readonly {
    readonly kind: number
    readonly side: Side
    readonly delayMs: number
    readonly belief: number
  }[]
}

/** Plain data: part of a model. */
export interface Lessons {
  /** A cause lies at most so far before its symptom, milliseconds; 0: as the stream says. */
  readonly windowMs: number
  /** Pair (pairNumber), how much speaks for it, out of how much. */
  readonly pairs: readonly (readonly [pair: number, yes: number, seen: number])[]
  /** Pairs on sides that read differently in the two orders are pairs of their own; absent where they are not. */
  readonly apart?: boolean
}

export const noLessons: Lessons = { windowMs: 0, pairs: [] }

const leak = 0.02
const rounds = 15
const windowPrice = 2
const beliefMax = 0.98
const repeatBelief = 0.05
const KINDS = 65_536
const APART = 2 ** 27
const MUTUAL_REPEATS = 3

/** `apart` as in Lessons. Below 2^29: there are fewer than 2^11 kinds. */
export function pairNumber(earlier: number, later: number, side: Side, apart: boolean): number {
  const group = apart && !isSymmetric(side) ? side - 1 : isMutualRepeat(earlier, later, side) ? MUTUAL_REPEATS : 0
  return group * APART + earlier * KINDS + later
}

/** One kind on two things that list each other: the stream cannot tell an effect from a repeat there, and labels can. */
function isMutualRepeat(earlier: number, later: number, side: Side): boolean {
  return earlier === later && side === 1
}

/** What labels begin with; `belief`: what the stream alone says. */
function believedBefore(earlier: number, later: number, side: Side, belief: number): number {
  return isMutualRepeat(earlier, later, side) ? repeatBelief : belief
}

/** What is believed of links, by the stream and by lessons. */
export class LearnedBelief {
  readonly #pairs: ReadonlyMap<number, readonly [number, number]>
  readonly windowMs: number
  readonly #apart: boolean

  constructor(lessons: Lessons) {
    this.windowMs = lessons.windowMs
    this.#apart = lessons.apart === true
    this.#pairs = new Map(lessons.pairs.map(([pair, yes, seen]) => [pair, [yes, seen]]))
  }

  /** `belief`: what the stream alone says. */
  of(earlier: number, later: number, side: Side, belief: number): number {
    if (earlier === later && side === 0) return 0
    const taught = this.#pairs.get(pairNumber(earlier, later, side, this.#apart))
    return taught === undefined ? belief : (believedBefore(earlier, later, side, belief) + taught[0]) / (1 + taught[1])
  }
}

interface Item {
  readonly isSymptom: boolean
  readonly pairs: readonly { readonly pair: number; readonly belief: number }[]
}

/** Learns from labelled alerts; `windowMs` is the stream's. `fixedWindow`: it may not be left. */
export function learnLessons(alerts: readonly LabelledAlert[], windowMs: number, fixedWindow: boolean): Lessons {
  let best: { score: number; lessons: Lessons } | null = null
  const apart = areSidesApart(alerts, windowMs)
  for (const window of fixedWindow ? [windowMs] : causeWindows) {
    const items = itemsOf(alerts, window, apart)
    const score = heldOut(items) - windowPrice * Math.abs(Math.log(window / windowMs))
    if (best === null || score > best.score)
      best = { score, lessons: { windowMs: window, pairs: fit(items), ...(apart ? { apart } : {}) } }
  }
  return best === null ? noLessons : best.lessons
}

function areSidesApart(alerts: readonly LabelledAlert[], windowMs: number): boolean {
  if (alerts.every(({ precedents }) => precedents.every(({ side }) => isSymmetric(side)))) return false
  return heldOut(itemsOf(alerts, windowMs, true)) > heldOut(itemsOf(alerts, windowMs, false))
}

/** Likelihood of each half of the labels by what the other half teaches. */
function heldOut(items: readonly Item[]): number {
  let likelihood = 0
  for (const half of [0, 1]) {
    const taught = new Map(
      fit(items.filter((_, at) => at % 2 !== half)).map(([pair, yes, seen]) => [pair, { yes, seen }]),
    )
    for (const { isSymptom, pairs } of items.filter((_, at) => at % 2 === half)) {
      let none = 1 - leak
      for (const { pair, belief } of pairs) {
        const { yes, seen } = taught.get(pair) ?? { yes: 0, seen: 0 }
        none *= 1 - Math.min(beliefMax, (belief + yes) / (1 + seen))
      }
      likelihood += Math.log(isSymptom ? 1 - none : none)
    }
  }
  return likelihood
}

function itemsOf(alerts: readonly LabelledAlert[], windowMs: number, apart: boolean): Item[] {
  return alerts.map(({ kind, isSymptom, precedents }) => ({
    isSymptom,
    pairs: precedents
      .filter((each) => each.delayMs < windowMs && !(each.kind === kind && each.side === 0))
      .map((each) => ({
        pair: pairNumber(each.kind, kind, each.side, apart),
        belief: believedBefore(each.kind, kind, each.side, each.belief),
      })),
  }))
}

function fit(items: readonly Item[]): (readonly [pair: number, yes: number, seen: number])[] {
  const sums = new Map<number, { yes: number; seen: number }>()
  for (const { pairs } of items) for (const { pair } of pairs) sums.set(pair, { yes: 0, seen: 0 })
  const weights = new Map<string, number>()
  const weightOf = (pair: number, belief: number): number =>
    Math.min(beliefMax, weights.get(`${pair} ${belief}`) ?? belief)
  for (let round = 0; round < rounds; round++) {
    for (const sum of sums.values()) Object.assign(sum, { yes: 0, seen: 0 })
    for (const { isSymptom, pairs } of items) {
      const none = pairs.reduce((product, { pair, belief }) => product * (1 - weightOf(pair, belief)), 1 - leak)
      for (const { pair, belief } of pairs) {
        const sum = sums.get(pair) as { yes: number; seen: number }
        sum.seen++
        if (isSymptom) sum.yes += Math.min(1, weightOf(pair, belief) / (1 - none))
      }
    }
    for (const { pairs } of items) {
      for (const { pair, belief } of pairs) {
        const { yes, seen } = sums.get(pair) as { yes: number; seen: number }
        weights.set(`${pair} ${belief}`, (belief + yes) / (1 + seen))
      }
    }
  }
  return [...sums].map(([pair, { yes, seen }]) => [pair, yes, seen])
}
