/**
 * What an answer of the model hangs on: the answer without each field, and without the two that matter most together.
 *
 * Owns: which fields are taken away, and what that changes. Leaves out: the answer (decision.ts), votes, which say
 * nothing of fields.
 *
 * 1. An answer without a field is what `decide` gives for the same values with that field absent. Nothing is estimated.
 * 2. The effect of a field is how much less probable the label is without it. Below 0 it speaks against the label.
 * 3. At most `pairsMax` pairs are tried. Where there are more, they are pairs of the fields with the largest effects.
 */
import type { PointValues } from '../event/point-value.js'
import { lacksPoints } from '../event/decision-points.js'
import { byRule } from './decision-basis.js'
import { decide, hundredths, noDecision, type ActiveModel, type Decision } from './decision.js'

/** The answer without some fields. */
export interface AnswerWithout {
  /** Indices of the fields that are absent. */
  readonly fields: readonly number[]
  readonly answer: Decision
  /** By how much the label of the whole answer is less probable, in hundredths of a percent. */
  readonly effect: number
}

export interface Reasons {
  /** The model's answer with all fields, without the votes on its bucket and before the trust watch. */
  readonly answer: Decision
  /** For each field that has a value, the largest effect first. */
  readonly fields: readonly AnswerWithout[]
  /** The two fields with the largest effect together; null with fewer than two fields. */
  readonly pair: AnswerWithout | null
  /** Pairs that were tried, and pairs that there are. */
  readonly pairsTried: number
  readonly pairs: number
}

/** How fields are taken away. */
export interface ReasonTerms {
  /** The first value that is a field of the event. What is before it stays (cause/context.ts). */
  readonly firstField: number
  /** An event without any field gets no decision. */
  readonly needsFields: boolean
  /** Answers are those without the rule for macro F1, as where it is off. */
  readonly ruleOff: boolean
}

/** The most pairs that are tried: all of 25 fields. */
export const pairsMax = 300

/** The reasons of the model's answer for an event with these values. */
export function reasonsOf(active: ActiveModel, values: PointValues, terms: ReasonTerms): Reasons {
  const answer = answerTo(active, values, terms)
  const without = (fields: readonly number[]): AnswerWithout =>
    withoutFields(active, values, { ...terms, answer, fields })
  const present = [...values.keys()].filter((at) => at >= terms.firstField && (values[at] ?? null) !== null)
  const fields = present.map((at) => without([at])).sort(byEffect)
  const candidates = fields.slice(0, fieldsOfPairs(fields.length)).map((one) => one.fields[0] as number)
  let pair: AnswerWithout | null = null
  let pairsTried = 0
  for (const [at, one] of candidates.entries()) {
    for (const other of candidates.slice(at + 1)) {
      const both = without([one, other].sort((a, b) => a - b))
      pairsTried++
      if (pair === null || byEffect(both, pair) < 0) pair = both
    }
  }
  return { answer, fields, pair, pairsTried, pairs: (present.length * (present.length - 1)) / 2 }
}

function answerTo(active: ActiveModel, values: PointValues, { ruleOff }: ReasonTerms): Decision {
  return byRule(decide(active, values, null), ruleOff)
}

/** So many fields have at most `pairsMax` pairs. */
function fieldsOfPairs(count: number): number {
  return Math.min(count, Math.floor((1 + Math.sqrt(1 + 8 * pairsMax)) / 2))
}

function byEffect(one: AnswerWithout, other: AnswerWithout): number {
  return other.effect - one.effect || compareFields(one.fields, other.fields)
}

function compareFields(one: readonly number[], other: readonly number[]): number {
  for (const [at, field] of one.entries()) if (field !== other[at]) return field - (other[at] as number)
  return 0
}

function withoutFields(
  active: ActiveModel,
  values: PointValues,
  { answer: whole, fields, ...terms }: ReasonTerms & Pick<AnswerWithout, 'answer' | 'fields'>,
): AnswerWithout {
  const rest = values.map((value, at) => (fields.includes(at) ? null : value))
  if (terms.needsFields && lacksPoints(rest.slice(terms.firstField)))
    return { fields, answer: noDecision, effect: whole.confidence }
  const answer = answerTo(active, rest, terms)
  return { fields, answer, effect: whole.confidence - hundredths(active.probabilities[whole.label] as number) }
}
