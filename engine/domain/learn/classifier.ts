/**
 * The contract of a classifier: its training set, its answers.
 *
 * Owns: the types between the job actor, the trainer and the algorithms. Leaves out: every algorithm.
 *
 * 1. Pure: the same training set and seed give the same bytes; the same bytes and values give the same answer (S17).
 * 2. A label without an example is never the answer (S14). It has a small probability, for events unlike any so far:
 *    without it the others would be surer than ten labels allow.
 * 3. Any value is accepted: new values, new types, missing values, huge numbers, NaN-like text.
 *
 * The contract suite test/contracts/classifier.ts tests every implementation for this.
 */
import type { PointValues } from '../event/point-value.js'
import type { Objective } from '../job/objective.js'
import type { HeldOutAnswer } from './selection/doubted-labels.js'
import type { ScoredCounts } from './scored-answers.js'

export type { PointValue, PointValues, ScalarValue } from '../event/point-value.js'
export type { Objective } from '../job/objective.js'

/** One labelled event. */
export interface Example {
  readonly values: PointValues
  /** Index of the label in the job's list, 0 to labelCount - 1. */
  readonly label: number
  /** Its weight, above 0; 1 is one event. */
  readonly weight: number
  /** Ingest time of the event, microseconds. No algorithm reads it. */
  readonly micros?: number
  /** It was drawn by event, so that figures of such examples are honest. No algorithm reads it. */
  readonly isUniform?: boolean
}

/** A labelled example that a model remembers. */
export interface Neighbour {
  /** Its place in `references`. */
  readonly place: number
  /** Index of the label that it was trained with. */
  readonly label: number
  /** As in likeness.ts. */
  readonly distance: number
}

/** The input of a training. */
export interface TrainingSet {
  /** The decision points, dot paths, in the order of the values. */
  readonly points: readonly string[]
  /** The number of the job's labels; at least two of them have an example. */
  readonly labelCount: number
  /** The oldest first, where times are known. */
  readonly examples: readonly Example[]
  /** Values of recent events, labelled or not, which show what the stream is like. May be empty. */
  readonly background: readonly PointValues[]
  /** Any 32-bit unsigned integer. */
  readonly seed: number
  /** What the decision rule optimises; accuracy by default. */
  readonly objective?: Objective
  /** Told of the answers to held-out examples, where any were held out. The model does not depend on it. */
  readonly onHeldOut?: (answers: readonly HeldOutAnswer[]) => void
}

/** Reports the progress of a training, 0 to 1, and what it does, for display. Returns false to stop it. */
export type TrainingProgress = (done: number, what: string) => boolean

/** A training was stopped by its progress callback. */
export class TrainingCancelled extends Error {}

/** Compares one event with others (likeness.ts). */
export interface EventLikeness {
  /** Later events are compared with this one. */
  hold(values: PointValues): void
  /** The distance to the held event; infinite before any is held. */
  distance(values: PointValues): number
  /** Later events are compared with all of these, at most referencesMax (outlier-references.ts). */
  holdAll(events: readonly PointValues[]): void
  /** The distance to each of the held events. */
  distances(values: PointValues): Float64Array
}

/** Facts about a trained model. */
export interface ModelSummary {
  /** The algorithm and its version, such as `pooled/1`. */
  readonly kind: string
  readonly examples: number
  readonly features: number
  /** Held-out mean log-loss, natural logarithm; null where there were too few examples to hold any out. */
  readonly logLoss: number | null
  /** Held-out accuracy of the answers, 0 to 1; null likewise. */
  readonly accuracy: number | null
  /** The answers to held-out examples, counted; null likewise. */
  readonly scored: ScoredCounts | null
  /**
   * The number of voted events that the model counts as beside the votes on a bucket (decide/decision.ts), measured on
   * held-out examples; null where there were too few buckets with several.
   */
  readonly evidenceWeight: number | null
  /** The least outlier score of an outlier. */
  readonly outlierThreshold: number
  /**
   * The share of answers that the rule for macro F1 changed in the training, 0 to 1. Absent where there is no such
   * rule, or its share is not known: then it is always used (rule-drift.ts).
   */
  readonly ruleChanges?: number
}

/** One member's answer, by label. */
export interface MemberAnswer {
  readonly name: string
  /** Its share of the mixture. */
  readonly weight: number
  /** By which its answer is softened before it is mixed. */
  readonly temperature: number
  /** Before it is softened. */
  readonly probabilities: readonly number[]
}

/** How an answer comes about. The last step gives the probabilities of `predict`. */
export interface AnswerSteps {
  readonly members: readonly MemberAnswer[]
  readonly steps: readonly { readonly name: string; readonly probabilities: readonly number[] }[]
}

/** A trained model, ready to answer. */
export interface Model {
  readonly summary: ModelSummary
  /** Fills `probabilities` (length labelCount) with the calibrated probability of each label; they sum to 1. */
  predict(values: PointValues, probabilities: Float64Array): void
  /**
   * The label to answer with, for probabilities from `predict`: the most probable one, or the objective's choice.
   * Decisions and all metrics of models take it from here.
   */
  choose(probabilities: Float64Array): number
  /** The most probable label that `choose` may answer with. */
  mostProbable(probabilities: Float64Array): number
  /**
   * How unlike all known events the values are: 0 (alike) or more. From summary.outlierThreshold on it is an outlier.
   */
  outlierScore(values: PointValues): number
  /** `predict`, and returns the outlier score. */
  assess(values: PointValues, probabilities: Float64Array): number
  /** The examples of its training that it compares events with, by index. Empty where it does not know. */
  readonly references: Int32Array
  /** The nearest of these examples, nearest first; of equally near ones the first. At most `count`. */
  neighbours(values: PointValues, count: number): Neighbour[]
  /** How the answer for these values comes about. */
  steps(values: PointValues): AnswerSteps
  /** Compares events by the features of the model. */
  likeness(): EventLikeness
}

/** An algorithm: trains a model to bytes, and loads it from them. */
export interface Classifier {
  readonly kind: string
  /** @throws TrainingCancelled when progress returned false. */
  train(set: TrainingSet, progress: TrainingProgress): Uint8Array
  /**
   * Nothing of the bytes is kept. @throws Error on bytes that are not of this kind and version, or cut short, or
   * changed; whether they were changed is not looked at where that was `checked` before.
   */
  load(bytes: Uint8Array, checked?: boolean): Model
}
