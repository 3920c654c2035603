/**
 * The watch over the model of a job while it decides: where an outlier begins, and how much of what the model says is
 * still believed.
 *
 * Owns: what of a decision depends on the stream so far, and not on the event alone. Leaves out: the arithmetic
 * (outlier/outlier-anchor.ts, learn/drift.ts), the decision itself (decision.ts).
 *
 * 1. A decision from memory and one worked out again come to the same answer: what is remembered of a bucket is the
 *    model's own word, and the watch is applied to every event.
 * 2. The state is in the job's stats row and is committed with the events it has seen, so a restart goes on where it
 *   was (S17).
 * 3. The knowledge base's answers are the analysts' and are left alone.
 */
import { doubtShare, freshDrift, seeConfidence, seeFeedback, withDoubt, type DriftState } from '../learn/drift.js'
import { firstThreshold, freshAnchor, moveAnchor, type AnchorState } from '../learn/outlier/outlier-anchor.js'
import type { Decision } from './decision.js'

/** What the watch has seen since the model was installed. Changed in place. */
export interface ModelTrust {
  /** Null before the first decision. */
  anchor: AnchorState | null
  readonly drift: DriftState
}

/** What the watch needs to know of the job. */
export interface TrustTerms {
  /** The share of known events that may be called outliers, 0 to 1, both excluded. */
  readonly outlierRate: number
  /** The score from which on the model itself calls an event an outlier. */
  readonly modelThreshold: number
  /** Ballots by consensus, in the order of the labels: where doubt leads. */
  readonly consensusCounts: readonly number[]
}

export function freshTrust(): ModelTrust {
  return { anchor: null, drift: freshDrift() }
}

/** The share of a label among what analysts agreed on; each label counts one more than it has. */
function baseRate(counts: readonly number[], label: number): number {
  let total = counts.length
  for (const count of counts) total += count
  return ((counts[label] ?? 0) + 1) / total
}

/** The model's decision on an event as the job answers it. */
export function withTrust(decision: Decision, state: ModelTrust, terms: TrustTerms): Decision {
  if (decision.source !== 'model') return decision
  const { label, outlierScore, source, modelVersion } = decision
  const anchor = anchorFor(state, terms)
  const outlier =
    outlierScore >= (anchor === null ? firstThreshold(terms.modelThreshold, terms.outlierRate) : anchor.threshold)
  const { drift } = state
  const ageing = drift.ageing !== 'no'
  const own = decision.confidence / 10_000
  const share = doubtShare(drift)
  const told =
    share === 0
      ? decision.confidence
      : Math.round(withDoubt(own, baseRate(terms.consensusCounts, label), share) * 10_000)
  if (!ageing && outlier === decision.outlier) return decision
  return { label, confidence: told, outlier, outlierScore, source: ageing ? 'ageing_model' : source, modelVersion }
}

/** The stream has brought an event that the model decides so. */
export function seeDecision(decision: Decision, state: ModelTrust, terms: TrustTerms, micros: number): void {
  if (decision.source !== 'model') return
  state.anchor = anchorFor(state, terms) ?? freshAnchor(terms.modelThreshold, terms.outlierRate)
  moveAnchor(state.anchor, decision.outlierScore, terms.modelThreshold)
  seeConfidence(state.drift, decision.confidence / 10_000, micros)
}

/** The anchor, where there is one for the rate that the job has now. */
function anchorFor({ anchor }: ModelTrust, { outlierRate }: TrustTerms): AnchorState | null {
  return anchor !== null && anchor.rate === outlierRate ? anchor : null
}

/** An analyst said what was right of an event; `decision` is the model's own word on it. */
export function learnOfFeedback(
  decision: Decision,
  label: number,
  state: ModelTrust,
  counts: readonly number[],
  micros: number,
): void {
  const confidence = decision.confidence / 10_000
  const base = baseRate(counts, decision.label)
  seeFeedback(state.drift, { confidence, base, right: decision.label === label }, micros)
}
