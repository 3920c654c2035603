/**
 * The decision on one event: its label, its confidence, and whether it is an outlier.
 *
 * Owns: how one decision is made from the model's answer and the knowledge base's. Leaves out: the model (learn/), the
 * votes (actor/votes/).
 *
 * 1. A bucket in the knowledge base is decided by its votes, and by the model as far as they are mixed or thin;
 *    everything else by the model (S16).
 * 2. Without a model there is no decision (S4).
 * 3. The same model, values and votes give the same decision (S17).
 */
import type { PointValues } from '../event/point-value.js'
import type { Model } from '../learn/classifier.js'

/** What the rule of a pipeline step sees of a decision. */
export interface RuledDecision {
  /** Index of the label, -1 without a decision. */
  readonly label: number
  /** Hundredths of a percent. */
  readonly confidence: number
  readonly outlier: boolean
}

/** Who decided. The confidence of an ageing model has been lowered (model-trust.ts). */
export type DecisionSource = 'none' | 'model' | 'knowledge_base' | 'ageing_model' | 'untrained'

export interface Decision {
  /** Index of the label, or -1 for no decision. */
  readonly label: number
  /** Hundredths of a percent, 0 to 10,000 (S8 shows it as 0 to 100 with two decimals). */
  readonly confidence: number
  readonly outlier: boolean
  /** 0 or more; 0 without a decision. */
  readonly outlierScore: number
  readonly source: DecisionSource
  /** Version of the model in use, 0 for none. */
  readonly modelVersion: number
  /**
   * Of a model's own decision, before the trust watch: its answer without the rule for macro F1, where that is another
   * label. Never stored.
   */
  readonly unruled?: PlainAnswer
  /** The answer is that one, because the rule was off. Stored with the basis. */
  readonly ruleOff?: true
}

/** A most probable label, and its confidence as in Decision. */
export interface PlainAnswer {
  readonly label: number
  readonly confidence: number
}

/** What the knowledge base knows of an event's bucket. */
export interface KnownConsensus {
  /** Index of the label that the analysts agree on. */
  readonly label: number
  /** By label: the evidence, such as voted events. */
  readonly counts: readonly number[]
  /**
   * The label stands whatever the model says: an override, votes on this very event, or a consensus that has changed
   * since the training.
   */
  readonly isSettled: boolean
}

export const noDecision: Decision = {
  label: -1,
  confidence: 0,
  outlier: false,
  outlierScore: 0,
  source: 'none',
  modelVersion: 0,
}

/** A model in use. */
export interface ActiveModel {
  readonly model: Model
  readonly version: number
  /** One place for each label; overwritten by every decision. */
  readonly probabilities: Float64Array
}

/**
 * The number of voted events that the model's opinion counts as beside those of a bucket, where the training could not
 * measure it. With 2, a single vote against a model that is sure of the opposite gives a confidence near 33 %. Below
 * 60 % counts as low.
 */
const MODEL_VOTES = 2

/**
 * Decides one event. With p the model's calibrated probability of a label, the confidence of the model is p.
 *
 * In the knowledge base the probability of a label is its share of the evidence, shrunk towards the model: with c of n
 * voted events it is (c + m p) / (n + m). This is the mean of a Dirichlet posterior with the model as the prior (Gelman
 * et al., "Bayesian data analysis", 3.4). m is the model's weight, which the training measures on held-out votes.
 *
 * The answer is the consensus. Only where votes differ, and m was measured, it is the most probable label: what most of
 * a few mixed votes say may be chance. Votes that agree are never outvoted.
 */
export function decide(
  { model, version: modelVersion, probabilities }: ActiveModel,
  values: PointValues,
  known: KnownConsensus | null,
): Decision {
  const outlierScore = model.assess(values, probabilities)
  const outlier = known === null && outlierScore >= model.summary.outlierThreshold
  if (known === null) {
    const label = model.choose(probabilities)
    const confidence = hundredths(probabilities[label] as number)
    const unruled = unruledOf(model, probabilities, label)
    return unruled === null
      ? { label, confidence, outlier, outlierScore, source: 'model', modelVersion }
      : { label, confidence, outlier, outlierScore, source: 'model', modelVersion, unruled }
  }
  const { evidenceWeight } = model.summary
  addVotes(probabilities, known.counts, evidenceWeight ?? MODEL_VOTES)
  let label = known.label
  if (!known.isSettled && evidenceWeight !== null && differ(known.counts))
    for (let k = 0; k < probabilities.length; k++)
      if ((probabilities[k] as number) > (probabilities[label] as number)) label = k
  const confidence = hundredths(probabilities[label] as number)
  return { label, confidence, outlier, outlierScore, source: 'knowledge_base', modelVersion }
}

/** The answer without the rule for macro F1; null where there is no such rule, or it changes nothing. */
function unruledOf(model: Model, probabilities: Float64Array, ruled: number): PlainAnswer | null {
  if (model.summary.ruleChanges === undefined) return null
  const label = model.mostProbable(probabilities)
  return label === ruled ? null : { label, confidence: hundredths(probabilities[label] as number) }
}

function differ(counts: readonly number[]): boolean {
  let named = 0
  for (const count of counts) if (count > 0) named++
  return named > 1
}

/** Shrinks the evidence towards the probabilities, in place. */
export function addVotes(probabilities: Float64Array, counts: readonly number[], weight: number): void {
  let total = weight
  for (const count of counts) total += count
  for (let k = 0; k < probabilities.length; k++)
    probabilities[k] = ((counts[k] ?? 0) + weight * (probabilities[k] as number)) / total
}

/** Hundredths of a percent, 0 to 10,000. */
export function hundredths(probability: number): number {
  return Math.min(10_000, Math.max(0, Math.round(probability * 10_000)))
}
