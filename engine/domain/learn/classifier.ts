/**
 * The contract of a classifier: what it is trained from, what it answers.
 *
 * Owns: the words between the job actor, the trainer and the algorithms. Leaves out: every algorithm.
 *
 * 1. Pure: the same training set and seed give the same bytes; the same bytes and values give the same answer (S17).
 * 2. A label without an example is never the answer (S14). It has a small probability, for what nobody has seen yet:
 *    without it the others would be surer than ten labels allow.
 * 3. Any value is survived: new values, new types, missing values, huge numbers, NaN-like text.
 * The contract suite test/contracts/classifier.ts holds every implementation to this.
 */

import type { PointValues } from '../event/point-value.js'
import type { Objective } from '../job/objective.js'

export type { PointValue, PointValues, ScalarValue } from '../event/point-value.js'
export type { Objective } from '../job/objective.js'

/** One labelled point. */
export interface Example {
  readonly values: PointValues
  /** Index of the label in the job's list, 0 to labelCount - 1. */
  readonly label: number
  /** How much it counts, above 0. 1 is one event. */
  readonly weight: number
}

/** All that a training sees. */
export interface TrainingSet {
  /** The decision points, dot paths, in the order of the values. */
  readonly points: readonly string[]
  /** Labels of the job; at least two of them have an example. */
  readonly labelCount: number
  /** In the order of time, oldest first, where that is known. */
  readonly examples: readonly Example[]
  /** Values of recent events, labelled or not: what is normal in the stream. May be empty. */
  readonly background: readonly PointValues[]
  /** Any 32-bit unsigned integer. */
  readonly seed: number
  /** What the answers should be good at; accuracy where nothing is said. */
  readonly objective?: Objective
}

/** Reports how far a training is, 0 to 1, and for people what it does; returns false when it should stop. */
export type TrainingProgress = (done: number, what: string) => boolean

/** Says that a training stopped because its progress callback said so. */
export class TrainingCancelled extends Error {}

/** What is known of a trained model beside its answers. */
export interface ModelSummary {
  /** The algorithm and its version, for example `pooled/1`. */
  readonly kind: string
  readonly examples: number
  readonly features: number
  /** Held-out mean log-loss, natural logarithm; null where there were too few examples to hold any out. */
  readonly logLoss: number | null
  /** Held-out accuracy, 0 to 1; null likewise. */
  readonly accuracy: number | null
  /** The outlier score from which an event counts as an outlier. */
  readonly outlierThreshold: number
}

/** A trained model, ready to answer. */
export interface Model {
  readonly summary: ModelSummary
  /** Fills `probabilities` (length labelCount) with numbers 0 to 1 that sum to 1: the calibrated chance of each label. */
  predict(values: PointValues, probabilities: Float64Array): void
  /** The label to answer with, of probabilities that `predict` filled: the most probable one, or what the objective says. */
  choose(probabilities: Float64Array): number
  /** How unlike everything known the values are, 0 (alike) or more; at or above summary.outlierThreshold is an outlier. */
  outlierScore(values: PointValues): number
  /** Both in one go: `predict`, and the outlier score as the answer. */
  assess(values: PointValues, probabilities: Float64Array): number
}

/** An algorithm: trains bytes, and makes a model of them again. */
export interface Classifier {
  readonly kind: string
  /** @throws TrainingCancelled when progress returned false. */
  train(set: TrainingSet, progress: TrainingProgress): Uint8Array
  /** @throws Error on bytes that are not of this kind and version, or cut short. */
  load(bytes: Uint8Array): Model
}
