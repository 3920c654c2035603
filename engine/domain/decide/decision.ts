/**
 * The decision on one event: its label, its confidence, and whether it is an outlier.
 *
 * Owns: how one decision is made from the model's answer and the knowledge base's. Leaves out: the model (learn/), the
 * votes (actor/votes/).
 *
 * 1. A bucket in the knowledge base is decided by its consensus, everything else by the model (S16).
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
}

/** The consensus of an event's bucket in the knowledge base. */
export interface KnownConsensus {
  /** Index of the label that the analysts agree on. */
  readonly label: number
  /** Votes for that label, and votes in all. */
  readonly votesFor: number
  readonly votes: number
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
 * The number of votes that the model's opinion counts as beside the votes on a bucket. With 2, a single vote against
 * a model that is sure of the opposite gives a confidence near 33 %. Below 60 % counts as low.
 */
const MODEL_VOTES = 2

/**
 * Decides one event. With p the model's calibrated probability of the label, the confidence of the model is p.
 *
 * The confidence of a consensus is its share of the votes, shrunk towards the model. It is (votesFor + k p) / (votes +
 * k), with k = MODEL_VOTES.
 */
export function decide(
  { model, version: modelVersion, probabilities }: ActiveModel,
  values: PointValues,
  known: KnownConsensus | null,
): Decision {
  const outlierScore = model.assess(values, probabilities)
  const outlier = known === null && outlierScore >= model.summary.outlierThreshold
  if (known !== null) {
    const p = (known.votesFor + MODEL_VOTES * (probabilities[known.label] as number)) / (known.votes + MODEL_VOTES)
    return {
      label: known.label,
      confidence: hundredths(p),
      outlier,
      outlierScore,
      source: 'knowledge_base',
      modelVersion,
    }
  }
  const label = model.choose(probabilities)
  return {
    label,
    confidence: hundredths(probabilities[label] as number),
    outlier,
    outlierScore,
    source: 'model',
    modelVersion,
  }
}

function hundredths(probability: number): number {
  return Math.min(10_000, Math.max(0, Math.round(probability * 10_000)))
}
