/**
 * What feedback teaches of precedence: a label on an alert is a label on all the pairs that it came with.
 *
 * Owns: learning, and the weight of a pair. Leaves out: what the stream alone says (precedence.ts).
 *
 * A noisy-or (J. Pearl 1988): an alert is a symptom unless every candidate within the window fails to be its cause,
 * P(symptom) = 1 - (1 - leak) prod (1 - w_pair). An alert that is no symptom speaks against each of its pairs; one that is
 * speaks for them together, shared out by expectation maximisation. The weight of a pair is shrunk towards the belief of
 * the stream, which counts as one label: w = (belief + s) / (1 + n). The window is the one of the list under which the
 * labels are likeliest, with a price for leaving the one mined from the stream.
 */
import { causeWindows, isSymmetric, type Side } from './delays.js'

/** One labelled alert with what lay before it. */
export interface LabelledAlert {
  readonly kind: number
  readonly isSymptom: boolean
  readonly precedents: readonly { readonly kind: number; readonly side: Side; readonly delayMs: number; readonly belief: number }[]
}

/** Plain data: part of a model. */
export interface Lessons {
  /** A cause lies at most so far before its symptom, milliseconds; 0: as the stream says. */
  readonly windowMs: number
  /** Pair (earlier and later kind), how much speaks for it, out of how much. */
  readonly pairs: readonly (readonly [pair: number, yes: number, seen: number])[]
}

export const noLessons: Lessons = { windowMs: 0, pairs: [] }

const leak = 0.02
const rounds = 15
const windowPrice = 2
const beliefMax = 0.98
const KINDS = 65_536

export function pairNumber(earlier: number, later: number): number {
  return earlier * KINDS + later
}

/** What is believed of links, by the stream and by lessons. */
export class LearnedBelief {
  readonly #pairs: ReadonlyMap<number, readonly [number, number]>
  readonly windowMs: number

  constructor(lessons: Lessons) {
    this.windowMs = lessons.windowMs
    this.#pairs = new Map(lessons.pairs.map(([pair, yes, seen]) => [pair, [yes, seen]]))
  }

  /** `belief`: what the stream alone says. */
  of(earlier: number, later: number, side: Side, belief: number): number {
    if (earlier === later && isSymmetric(side)) return 0
    const taught = this.#pairs.get(pairNumber(earlier, later))
    return taught === undefined ? belief : (belief + taught[0]) / (1 + taught[1])
  }
}

interface Item {
  readonly isSymptom: boolean
  readonly pairs: readonly { readonly pair: number; readonly belief: number }[]
}

/** Learns from labelled alerts; `windowMs` is the stream's. `fixedWindow`: it may not be left. */
export function learnLessons(alerts: readonly LabelledAlert[], windowMs: number, fixedWindow: boolean): Lessons {
  let best: { score: number; lessons: Lessons } | null = null
  for (const window of fixedWindow ? [windowMs] : causeWindows) {
    const items = alerts.map(({ kind, isSymptom, precedents }) => ({
      isSymptom,
      pairs: precedents
        .filter((each) => each.delayMs < window && !(each.kind === kind && isSymmetric(each.side)))
        .map((each) => ({ pair: pairNumber(each.kind, kind), belief: each.belief })),
    }))
    const { likelihood, pairs } = fit(items)
    const score = likelihood - windowPrice * Math.abs(Math.log(window / windowMs))
    if (best === null || score > best.score) best = { score, lessons: { windowMs: window, pairs } }
  }
  return best === null ? noLessons : best.lessons
}

function fit(items: readonly Item[]): { likelihood: number; pairs: (readonly [number, number, number])[] } {
  const sums = new Map<number, { yes: number; seen: number }>()
  for (const { pairs } of items) for (const { pair } of pairs) sums.set(pair, { yes: 0, seen: 0 })
  const weights = new Map<string, number>()
  const weightOf = (pair: number, belief: number): number => Math.min(beliefMax, weights.get(`${pair} ${belief}`) ?? belief)
  let likelihood = 0
  for (let round = 0; round < rounds; round++) {
    likelihood = 0
    for (const sum of sums.values()) Object.assign(sum, { yes: 0, seen: 0 })
    for (const { isSymptom, pairs } of items) {
      const none = pairs.reduce((product, { pair, belief }) => product * (1 - weightOf(pair, belief)), 1 - leak)
      likelihood += Math.log(isSymptom ? 1 - none : none)
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
  return { likelihood, pairs: [...sums].map(([pair, { yes, seen }]) => [pair, yes, seen]) }
}
