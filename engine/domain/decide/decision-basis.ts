/**
 * The basis of a decision: what it depended on beside the model and the values of the event. It is stored with the
 * event, so the decision can be computed again to the byte.
 *
 * Owns: the trust watch as a few rounded numbers and marks, and a decision from them. Leaves out: the watch itself
 * (model-trust.ts), the state of the votes (actor/votes/ballots.ts).
 *
 * 1. A decision uses the rounded numbers, never finer ones: what is stored is what was used.
 */
import { withDoubt } from '../learn/drift.js'
import type { Decision } from './decision.js'

/** What the trust watch made of the model's own decision. */
export interface TrustBasis {
  /** The least score of an outlier, a 32-bit float; 0 where the watch had no say. */
  readonly threshold: number
  /** The model was ageing. */
  readonly ageing: boolean
  /**
   * The share of a base rate in the confidence, and that rate: 0 to 1, four decimals. Both 0 without doubt. The rate is
   * the label's own where the model is ageing, and that of any label where the stream has moved (stream-shift.ts).
   */
  readonly doubt: number
  readonly base: number
  /** The rule for macro F1 would have answered with another label, and was off (learn/rule-drift.ts). */
  readonly ruleOff: boolean
}

export interface DecisionBasis extends TrustBasis {
  /** The number of the state of the votes that it knew (actor/votes/ballots.ts); 0 for no votes. */
  readonly votesState: number
}

export const noBasis: DecisionBasis = { threshold: 0, ageing: false, doubt: 0, base: 0, ruleOff: false, votesState: 0 }

/** A share as it is stored. */
export function roundedShare(share: number): number {
  return Math.round(share * 1e4) / 1e4
}

/** A model's own decision with the rule for macro F1, or without. */
export function byRule(own: Decision, ruleOff: boolean): Decision {
  const { unruled } = own
  if (unruled === undefined) return own
  // Field by field: an object spread is slow.
  const { outlier, outlierScore, source, modelVersion } = own
  const { label, confidence } = ruleOff ? unruled : own
  const answer: Decision = { label, confidence, outlier, outlierScore, source, modelVersion }
  return ruleOff ? { ...answer, ruleOff } : answer
}

/** The job's decision, made from the model's. Answers of the knowledge base are not changed. */
export function trusted(own: Decision, { threshold, ageing, doubt, base, ruleOff }: TrustBasis): Decision {
  if (own.source !== 'model') return own
  const decision = byRule(own, ruleOff)
  const { label, outlierScore, source, modelVersion } = decision
  const outlier = outlierScore >= threshold
  if (!ageing && doubt === 0 && outlier === decision.outlier) return decision
  const sure = decision.confidence
  const confidence = doubt === 0 ? sure : Math.round(withDoubt(sure / 10_000, base, doubt) * 10_000)
  const by = ageing ? 'ageing_model' : source
  const changed: Decision = { label, confidence, outlier, outlierScore, source: by, modelVersion }
  return decision.ruleOff === true ? { ...changed, ruleOff: true } : changed
}
