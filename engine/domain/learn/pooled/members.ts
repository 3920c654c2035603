/**
 * The members of a pool: they are trained together, and predict together.
 *
 * Owns: their settings and their order. Each is strong where another is weak. The linear member is good with few labels
 * and with thousands of values, extra trees with some tens of labels, boosting from hundreds on. The nearest labelled
 * event is good with ten labels, and on rare classes. Models of earlier builds have a random forest, too.
 * Leaves out: the mixture of their answers (pool.ts).
 */
import type { EventCoder } from '../features/event-coder.js'
import type { LearningTable } from '../features/learning-table.js'
import { copyCodes, type TreeRows } from '../features/tree-table.js'
import { InKernel } from '../kernel/kernel.js'
import { fitLinear, type LinearPenalty } from '../linear/linear-choice.js'
import { softmax } from '../linear/logistic.js'
import { scoreRow } from '../linear/row-loops.js'
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import type { OutlierView } from '../outlier/outlier-view.js'
import { part, type Stage } from '../progress.js'
import { predictBoosting } from '../trees/boosted-trees.js'
import { growBoosting, roundsMax, type BoostingOptions } from '../trees/boosting.js'
import { readTrees, singleLeaf, writeTrees, type FlatTrees } from '../trees/flat-trees.js'
import { predictForest, growForest, type ForestOptions } from '../trees/forest.js'
import { KernelTrees } from '../trees/kernel-trees.js'
import { predictNearest, readNearest, writeNearest, type Near, type Nearest } from './nearest.js'

/** In the order of their answers. */
export const memberNames = ['linear', 'extra trees', 'random forest', 'boosting', 'nearest'] as const
export const memberCount = memberNames.length
/** The place of boosting among them. */
export const boostingPlace = 3

/** The most events of one tree; bounds the size of a forest. */
const rowsMax = 4_096
/** Trees of a forest; and with many examples, when their mean hardly differs from that of more. */
const forestTrees = 100
const treesOfMany = 60
const extraTrees = { bootstrap: false, breadth: 2, rowsMax }
const boosted = { rate: 0.1, l2: 1, hessianMin: 1, columnShare: 0.5, rowShare: 0.9, rowsMax: 32_768 }
/** Depths of boosted trees: two splits, as much as hundreds of labels can tell; and what thousands can. */
export const shallowBoosting = 2
export const deepBoosting = 6

/** The trees of a forest where so many folds are held out: many examples have one. */
export function treesFor(folds: number): number {
  return folds === 1 ? treesOfMany : forestTrees
}

export interface Members {
  /** The weights by feature and class, followed by the intercepts. */
  readonly weights: Float32Array
  readonly extraTrees: FlatTrees
  /** Of a model of an earlier build. Trainings grow none. */
  readonly randomForest: FlatTrees
  readonly boosting: FlatTrees
  readonly nearest: Nearest
}

/** The settings of a training, and what it has already. */
export interface TrainingOptions {
  readonly seed: number
  /** The penalty of the linear member. */
  readonly penalty: LinearPenalty
  /** The linear member's weights, where it was fitted to these rows. */
  readonly linear?: Float64Array
  /** Trees of a forest. */
  readonly trees: number
  /** The rounds of boosting; by default the most. */
  readonly rounds?: number
  /** The depth of boosted trees. */
  readonly depth: number
}

/** Boosted trees for the rows with a weight above 0. */
export function trainBoosting(
  table: LearningTable,
  rowWeights: Float64Array,
  options: Pick<TrainingOptions, 'rounds' | 'depth'>,
  stage: Stage,
): FlatTrees {
  const { depth, rounds = roundsMax } = options
  const boosting: BoostingOptions = { ...boosted, depth, rounds }
  return growBoosting(table.trees, { rows: rowsOf(rowWeights), weights: rowWeights }, boosting, stage)
}

function rowsOf(rowWeights: Float64Array): Int32Array {
  return Int32Array.from(rowWeights.keys()).filter((row) => (rowWeights[row] as number) > 0)
}

/** The training data of the members: rows with a weight above 0, and the nearest neighbour of the same examples. */
export interface MemberRows {
  readonly table: LearningTable
  readonly rowWeights: Float64Array
  readonly nearest: Nearest
}

/** Trains all members. */
export function trainMembers(
  { table, rowWeights, nearest }: MemberRows,
  options: TrainingOptions,
  stage: Stage,
): Members {
  const { seed, trees, penalty } = options
  const from: TreeRows = { rows: rowsOf(rowWeights), weights: rowWeights }
  const weights = options.linear ?? fitLinear(table, rowWeights, penalty, part(stage, 0, 0.2))
  const forest: ForestOptions = { ...extraTrees, trees, seed: (seed ^ 0x1b873593) >>> 0 }
  return {
    weights: Float32Array.from(weights),
    extraTrees: growForest(table.trees, from, forest, part(stage, 0.2, 0.5)),
    randomForest: singleLeaf(table.trees.classCount),
    boosting: trainBoosting(table, rowWeights, options, part(stage, 0.5, 1)),
    nearest,
  }
}

/** Fills `chances` with the probabilities of the last event, by member and class. */
export class MemberPanel {
  readonly chances: Float64Array
  readonly #members: Members
  /** For training: rows of a table are scored by doubles. */
  #weights: Float64Array | null = null
  readonly #views: readonly Float64Array[]
  readonly #nearestView: Float64Array
  readonly #classCount: number
  readonly #weightedCount: number
  #inKernel: InKernel<KernelTrees> | null = null

  constructor(members: Members, classCount: number) {
    this.#members = members
    this.#classCount = classCount
    this.chances = new Float64Array(memberCount * classCount)
    this.#views = memberNames.map((_, m) => this.chances.subarray(m * classCount, (m + 1) * classCount))
    this.#nearestView = this.#views.at(-1) as Float64Array
    this.#weightedCount = members.weights.length / classCount - 1
  }

  /** Predicts in WebAssembly from now on, once that is worth a copy of the members. */
  useKernel(): void {
    const { extraTrees, randomForest, boosting, nearest } = this.#members
    this.#inKernel = new InKernel((kernel) => KernelTrees.of(kernel, [extraTrees, randomForest], boosting))
    nearest.references.useKernel()
  }

  /**
   * The nearest labelled event to the last event, if one is nearer than `limit`; the reference `except` does not count.
   */
  nearestWithin(view: OutlierView, limit: number, except = -1): Near {
    const { references, classes } = this.#members.nearest
    const { place, distance } = references.nearestWithin(view, limit, except)
    return { label: classes[place] ?? -1, distance }
  }

  /** The numbers of the view's tokens among those of labelled events, -1 for others; valid until the next event. */
  findTokens(view: OutlierView): Int32Array {
    return this.#members.nearest.references.findTokens(view)
  }

  /** The distance of every labelled event that it compares with to the event in the view. */
  distances(view: OutlierView): Float64Array {
    return this.#members.nearest.references.distances(view)
  }

  /** Predicts the event in the coder and the view; returns its distance for the outlier check. */
  predict(coder: EventCoder, view: OutlierView, except = -1): number {
    this.#predictLinear(coder)
    this.#predictTrees(coder.codes)
    return this.#predictNearest(view, except)
  }

  /** Predicts a row of the table that the members were trained on; `codes` is a buffer with a place for each column. */
  predictRow(table: LearningTable, row: number, codes: Uint8Array, view: OutlierView): void {
    this.#predictNearest(view)
    const scores = this.#views[0] as Float64Array
    scoreRow(table.linear, row, (this.#weights ??= Float64Array.from(this.#members.weights)), scores)
    softmax(scores)
    copyCodes(table.trees, row, codes)
    this.#predictTrees(codes)
  }

  #predictNearest(view: OutlierView, except = -1): number {
    const { nearest } = this.#members
    const distance = nearest.references.distance(view, except)
    predictNearest(nearest, this.#nearestView)
    return distance
  }

  #predictLinear({ features, values, count, coordinates }: EventCoder): void {
    const scores = this.#views[0] as Float64Array
    const { weights } = this.#members
    const classCount = this.#classCount
    const intercepts = this.#weightedCount * classCount
    const known = this.#weightedCount - coordinates.length
    for (let k = 0; k < classCount; k++) scores[k] = weights[intercepts + k] as number
    for (let j = 0; j < count; j++) {
      const feature = features[j] as number
      if (feature >= known) continue
      const value = values[j] as number
      const at = feature * classCount
      for (let k = 0; k < classCount; k++) scores[k] = (scores[k] as number) + value * (weights[at + k] as number)
    }
    for (let k = 0; k < coordinates.length; k++) {
      const value = coordinates[k] as number
      const at = (known + k) * classCount
      for (let c = 0; c < classCount; c++) scores[c] = (scores[c] as number) + value * (weights[at + c] as number)
    }
    softmax(scores)
  }

  #predictTrees(codes: Uint8Array): void {
    const { extraTrees, randomForest, boosting } = this.#members
    const [, extra, random, boosted] = this.#views as [Float64Array, Float64Array, Float64Array, Float64Array]
    const inKernel = this.#inKernel?.get() ?? null
    if (inKernel !== null) return inKernel.predict(codes, [extra, random], boosted)
    predictForest(extraTrees, codes, extra)
    predictForest(randomForest, codes, random)
    predictBoosting(boosting, codes, boosted)
  }
}

export function writeMembers(members: Members, to: ModelWriter): void {
  to.f32s(members.weights)
  writeTrees(members.extraTrees, to)
  writeTrees(members.randomForest, to)
  writeTrees(members.boosting, to)
  writeNearest(members.nearest, to)
}

export function readMembers(from: ModelReader): Members {
  const weights = from.f32s()
  // The kernel may take over the trees (placed-trees.ts).
  from.apart()
  const trees = { extraTrees: readTrees(from), randomForest: readTrees(from), boosting: readTrees(from) }
  from.apart()
  return { weights, ...trees, nearest: readNearest(from) }
}
