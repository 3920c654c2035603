/**
 * The decision on one event: which label, how sure, and whether a person should look.
 *
 * Owns: how the model's answer and the knowledge base's become one. Leaves out: where either comes from.
 *
 * 1. A bucket in the knowledge base answers with its consensus, the model answers for the rest (S16).
 * 2. Without a model there is no decision (S4).
 * 3. The same model, values and votes give the same decision (S17).
 */
import type { Model } from '../learn/classifier.js'
import type { PointValues } from '../event/point-value.js'

/** What the rule of a step looks at: whether the step takes this decision out. */
export interface RuledDecision {
  /** Index of the label, -1 without a decision. */
  readonly label: number
  /** Hundredths of a percent. */
  readonly confidence: number
  readonly outlier: boolean
}

/** Where the answer came from; an ageing model's confidence was lowered (model-trust.ts). */
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
  /** Version of the model that took part, 0 for none. */
  readonly modelVersion: number
}

/** What the knowledge base knows of the event's bucket. */
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

/**
 * How many votes the model's opinion weighs where a bucket has votes of its own. With k = 2 a single vote against a
 * model that is sure of the opposite ends near 33 %, well inside what counts as low (below 60 %).
 */
const MODEL_VOTES = 2

/**
 * Decides one event.
 *
 * The confidence of the model is its calibrated probability of the label p; that of a consensus is the share of votes
 * for it, shrunk towards the model: (votesFor + k p) / (votes + k).
 */
export function decide(
  model: Model,
  modelVersion: number,
  values: PointValues,
  known: KnownConsensus | null,
  probabilities: Float64Array,
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
