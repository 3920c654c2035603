/**
 * The watch over a job's model while it decides: the threshold of outliers, whether the rule for macro F1 is used, and
 * how much the model is still trusted.
 *
 * Owns: the part of a decision that depends on the stream so far. Leaves out: the arithmetic
 * (outlier/outlier-anchor.ts, learn/drift.ts, learn/stream-shift.ts, learn/rule-drift.ts), the decision itself
 * (decision.ts).
 *
 * 1. A remembered decision and a new one are the same. A bucket keeps the model's own answer, and the watch is applied
 *    to every event.
 * 2. The state is in the job's stats row. It is committed with the events it has seen, so a restart changes nothing
 *    (S17).
 * 3. Answers of the knowledge base are not changed.
 */
import type { ModelSummary } from '../learn/classifier.js'
import { doubtShare, freshDrift, seeConfidence, seeFeedback, type DriftState } from '../learn/drift.js'
import { firstThreshold, freshAnchor, moveAnchor, type AnchorState } from '../learn/outlier/outlier-anchor.js'
import { freshRuleDrift, seeRule, type RuleDrift } from '../learn/rule-drift.js'
import { freshShift, seeScore, shiftShare, type ShiftState } from '../learn/stream-shift.js'
import { roundedShare, trusted, type TrustBasis } from './decision-basis.js'
import type { Decision } from './decision.js'

/** What the watch has seen since the model was installed. Changed in place. */
export interface ModelTrust {
  /** Null before the first decision. */
  anchor: AnchorState | null
  readonly drift: DriftState
  /** Absent in what was stored before this was watched: nothing has been seen. */
  shift?: ShiftState
  /** Absent before the first decision by a rule for macro F1. */
  rule?: RuleDrift
}

/** What the watch needs from the job. */
export interface TrustTerms {
  /** The share of known events that may be called outliers: between 0 and 1. */
  readonly outlierRate: number
  /** The least score of an outlier, by the model itself. */
  readonly modelThreshold: number
  /** By label: voted events. Doubt moves decisions towards their shares. */
  readonly labelCounts: readonly number[]
  /** The examples that the model was trained on. */
  readonly examples: number
  /** As in ModelSummary. */
  readonly ruleChanges?: number | undefined
}

/** What the watch needs from the model. */
export function termsOfModel({
  outlierThreshold: modelThreshold,
  examples,
  ruleChanges,
}: ModelSummary): Pick<TrustTerms, 'modelThreshold' | 'examples' | 'ruleChanges'> {
  return { modelThreshold, examples, ruleChanges }
}

export function freshTrust(): ModelTrust {
  return { anchor: null, drift: freshDrift(), shift: freshShift() }
}

/** The share of a label among all voted events. Each label's count is raised by one. */
function baseRate(counts: readonly number[], label: number): number {
  let total = counts.length
  for (const count of counts) total += count
  return ((counts[label] ?? 0) + 1) / total
}

/** What the watch makes of the next decision of the model. */
export function trustBasisOf(
  { label: own, outlierScore, unruled }: Pick<Decision, 'label' | 'outlierScore' | 'unruled'>,
  state: ModelTrust,
  terms: TrustTerms,
): TrustBasis {
  const threshold = Math.fround(outlierThreshold(state, terms))
  const { drift, shift, rule } = state
  const ruleOff = unruled !== undefined && rule?.isOff === true
  const label = ruleOff ? unruled.label : own
  const { examples, labelCounts } = terms
  const labels = labelCounts.length
  const moved = shift === undefined ? 0 : shiftShare(shift, outlierScore, { examples, labels })
  const aged = drift.ageing === 'no' ? 0 : doubtShare(drift)
  // First the model's answer is spread over all labels, then an ageing model's is moved towards the base rates.
  const whole = aged + (1 - aged) * moved
  const doubt = roundedShare(whole)
  if (doubt === 0) return { threshold, ageing: drift.ageing !== 'no', doubt: 0, base: 0, ruleOff }
  const base = (aged * baseRate(labelCounts, label) + ((1 - aged) * moved) / labels) / whole
  return { threshold, ageing: drift.ageing !== 'no', doubt, base: roundedShare(base), ruleOff }
}

/** The job's decision, made from the model's. */
export function withTrust(decision: Decision, state: ModelTrust, terms: TrustTerms): Decision {
  return decision.source === 'model' ? trusted(decision, trustBasisOf(decision, state, terms)) : decision
}

/** The least score of an outlier, for the next event. */
export function outlierThreshold(state: ModelTrust, terms: TrustTerms): number {
  return anchorFor(state, terms)?.threshold ?? firstThreshold(terms.modelThreshold, terms.outlierRate)
}

/** Notes a decision of the model on a new event. */
export function seeDecision(decision: Decision, state: ModelTrust, terms: TrustTerms, micros: number): void {
  if (decision.source !== 'model') return
  state.anchor = anchorFor(state, terms) ?? freshAnchor(terms.modelThreshold, terms.outlierRate)
  moveAnchor(state.anchor, decision.outlierScore, terms.modelThreshold)
  state.shift ??= freshShift()
  seeScore(state.shift, decision.outlierScore)
  seeConfidence(state.drift, decision.confidence / 10_000, micros)
  if (terms.ruleChanges === undefined) return
  state.rule ??= freshRuleDrift()
  seeRule(state.rule, { isChanged: decision.unruled !== undefined, usual: terms.ruleChanges, micros })
}

/** The anchor, or null if there is none for the job's present rate. */
function anchorFor({ anchor }: ModelTrust, { outlierRate }: TrustTerms): AnchorState | null {
  return anchor !== null && anchor.rate === outlierRate ? anchor : null
}

/** An analyst's answer for an event. */
export interface FeedbackSeen {
  /** The right label. */
  readonly label: number
  readonly labelCounts: TrustTerms['labelCounts']
  /** The analyst picked the event; false: the service asked about it. */
  readonly isChosen: boolean
  readonly micros: number
}

/** Notes feedback on an event. `decision` is the model's own on it. */
export function learnFromFeedback(decision: Decision, state: ModelTrust, feedback: FeedbackSeen): void {
  const { label, labelCounts, isChosen, micros } = feedback
  const confidence = decision.confidence / 10_000
  const base = baseRate(labelCounts, decision.label)
  seeFeedback(state.drift, { confidence, base, right: decision.label === label, isChosen }, micros)
}
