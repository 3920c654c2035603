/**
 * The weights that feedback gives to pairs of kinds: a label on an alert is evidence about all pairs of its candidates.
 *
 * Owns: the fit, and the weight of a pair. Leaves out: what the stream alone says (hawkes.ts).
 *
 * The model is a noisy-or (J. Pearl 1988). An alert is a symptom unless every candidate within the window fails to be
 * its cause:
 *
 *   P(symptom) = 1 - (1 - leak) prod (1 - w_pair)
 *
 * An alert that is no symptom is evidence against each of its pairs. A symptom is evidence for all of them, shared out
 * by expectation maximisation.
 *
 * The weight of a pair is shrunk towards the belief of the stream, which counts as one label:
 *
 *   w = (belief + s) / (1 + n), with the evidence s for the pair of n labels
 *
 * Two choices are made by cross-validation: each half of the labels judges the weights of the other half. The first is
 * the window, with a penalty for leaving the mined one. The second is whether asymmetric sides have pairs of their own.
 */
import { causeWindows, isSymmetric, type Side } from './delays.js'

/** One labelled alert with its candidates. */
export interface LabelledAlert {
  readonly kind: number
  readonly isSymptom: boolean
  readonly predecessors: readonly {
    readonly kind: number
    readonly side: Side
    readonly delayMs: number
    readonly belief: number
  }[]
}

/** Plain data, stored in a model. */
export interface FeedbackWeights {
  /** A cause is at most this much earlier than its symptom, milliseconds; 0: as mined from the stream. */
  readonly windowMs: number
  /** Pair (pairNumber), the evidence for it (s), and all evidence (n). */
  readonly pairs: readonly (readonly [pair: number, yes: number, seen: number])[]
  /** Asymmetric sides have pairs of their own; absent where they have not. */
  readonly apart?: boolean
}

export const noFeedbackWeights: FeedbackWeights = { windowMs: 0, pairs: [] }

const leak = 0.02
const rounds = 15
const windowPenalty = 2
const beliefMax = 0.98
const repeatBelief = 0.05
const KINDS = 65_536
const APART = 2 ** 27
const MUTUAL_REPEATS = 3

/** `apart` as in FeedbackWeights. The number is below 2^29: there are fewer than 2^11 kinds. */
export function pairNumber(earlier: number, later: number, side: Side, apart: boolean): number {
  const group = apart && !isSymmetric(side) ? side - 1 : isMutualRepeat(earlier, later, side) ? MUTUAL_REPEATS : 0
  return group * APART + earlier * KINDS + later
}

/** One kind on two entities that list each other. Labels tell an effect from a repeat there, the stream cannot. */
function isMutualRepeat(earlier: number, later: number, side: Side): boolean {
  return earlier === later && side === 1
}

/** The belief before any label; `belief` is the stream's. */
function priorBelief(earlier: number, later: number, side: Side, belief: number): number {
  return isMutualRepeat(earlier, later, side) ? repeatBelief : belief
}

/** The belief in a link, by the stream and by feedback. */
export class LinkBelief {
  readonly #pairs: ReadonlyMap<number, readonly [number, number]>
  readonly windowMs: number
  readonly #apart: boolean

  constructor(feedbackWeights: FeedbackWeights) {
    this.windowMs = feedbackWeights.windowMs
    this.#apart = feedbackWeights.apart === true
    this.#pairs = new Map(feedbackWeights.pairs.map(([pair, yes, seen]) => [pair, [yes, seen]]))
  }

  /** `belief` is that of the stream alone. */
  of(earlier: number, later: number, side: Side, belief: number): number {
    if (earlier === later && side === 0) return 0
    const labelled = this.#pairs.get(pairNumber(earlier, later, side, this.#apart))
    return labelled === undefined
      ? belief
      : (priorBelief(earlier, later, side, belief) + labelled[0]) / (1 + labelled[1])
  }
}

interface Item {
  readonly isSymptom: boolean
  readonly pairs: readonly { readonly pair: number; readonly belief: number }[]
}

/** Fits the weights to labelled alerts. `windowMs` is the stream's; with `fixedWindow` no other is tried. */
export function fitFeedbackWeights(
  alerts: readonly LabelledAlert[],
  windowMs: number,
  fixedWindow: boolean,
): FeedbackWeights {
  let best: { score: number; feedbackWeights: FeedbackWeights } | null = null
  const apart = areSidesApart(alerts, windowMs)
  for (const window of fixedWindow ? [windowMs] : causeWindows) {
    const items = itemsOf(alerts, window, apart)
    const score = heldOut(items) - windowPenalty * Math.abs(Math.log(window / windowMs))
    if (best === null || score > best.score)
      best = { score, feedbackWeights: { windowMs: window, pairs: fit(items), ...(apart ? { apart } : {}) } }
  }
  return best === null ? noFeedbackWeights : best.feedbackWeights
}

function areSidesApart(alerts: readonly LabelledAlert[], windowMs: number): boolean {
  if (alerts.every(({ predecessors }) => predecessors.every(({ side }) => isSymmetric(side)))) return false
  return heldOut(itemsOf(alerts, windowMs, true)) > heldOut(itemsOf(alerts, windowMs, false))
}

/** Log-likelihood of each half of the labels under the weights of the other half. */
function heldOut(items: readonly Item[]): number {
  let likelihood = 0
  for (const half of [0, 1]) {
    const fitted = new Map(
      fit(items.filter((_, at) => at % 2 !== half)).map(([pair, yes, seen]) => [pair, { yes, seen }]),
    )
    for (const { isSymptom, pairs } of items.filter((_, at) => at % 2 === half)) {
      let none = 1 - leak
      for (const { pair, belief } of pairs) {
        const { yes, seen } = fitted.get(pair) ?? { yes: 0, seen: 0 }
        none *= 1 - Math.min(beliefMax, (belief + yes) / (1 + seen))
      }
      likelihood += Math.log(isSymptom ? 1 - none : none)
    }
  }
  return likelihood
}

function itemsOf(alerts: readonly LabelledAlert[], windowMs: number, apart: boolean): Item[] {
  return alerts.map(({ kind, isSymptom, predecessors }) => ({
    isSymptom,
    pairs: predecessors
      .filter((each) => each.delayMs < windowMs && !(each.kind === kind && each.side === 0))
      .map((each) => ({
        pair: pairNumber(each.kind, kind, each.side, apart),
        belief: priorBelief(each.kind, kind, each.side, each.belief),
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
