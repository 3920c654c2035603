/**
 * What the members say of labelled events that they were not trained on.
 *
 * Trains on all folds but one, in turn, and asks of that one. Answers count with the weights that examples are trained with:
 * as much as each stands for in the stream (importance weighted cross-validation: Sugiyama, Krauledat, Müller, "Covariate
 * shift adaptation by importance weighted cross validation", 2007).
 *
 * Owns: training and asking, and the two things that are chosen on the way: the linear member's penalty, the depth and the
 * rounds of boosting. Leaves out: the folds (folds.ts), what is made of the answers (pool.ts, corrections.ts).
 */
import type { LearningTable } from '../features/learning-table.js'
import { LinearTrials, type LinearPenalty } from '../linear/linear-choice.js'
import { part, type Stage } from '../progress.js'
import { foldExamples, foldWeights, withoutFold, type Folds, type Kept } from './folds.js'
import {
  boostingPlace,
  deepBoosting,
  forestTrees,
  memberCount,
  MemberPanel,
  shallowBoosting,
  trainBoosting,
  trainMembers,
} from './members.js'
import type { ExampleView } from './nearest.js'
import { DepthTrials } from './round-choice.js'

/** Trees of a forest that is asked about many examples: their mean is hardly another than that of all. */
const treesOfMany = 60
/** The share of the work that the linear trials take. */
const linearShare = 0.2

export interface HoldOutInput {
  readonly table: LearningTable
  readonly view: ExampleView
  /** How much each example counts. */
  readonly weights: Float64Array
  readonly seed: number
  /** The nearest example is looked for up to so many times the usual distance. */
  readonly nearestLimit: number
}

/** Answers on held-out examples; those of one example are side by side, member by member. */
export interface HeldOut {
  readonly classCount: number
  /** Numbers of the examples, ascending. */
  readonly examples: Int32Array
  readonly classes: Int32Array
  /** How much each counts, of mean 1. */
  readonly weights: Float64Array
  readonly folds: Int32Array
  readonly foldCount: number
  readonly chances: Float64Array
  /** Every label has so many examples that some are held out. */
  readonly allLabels: boolean
  /** The linear member's penalty that did best. */
  readonly penalty: LinearPenalty
  /** The depth of boosted trees that did, and the rounds. */
  readonly depth: number
  readonly rounds: number
  /** The class of the nearest example outside of its fold, -1 where none is near, and how many times the usual distance that is. */
  readonly nearestClasses: Int32Array
  readonly nearestDistances: Float64Array
}

/** What is filled fold by fold. */
type Answers = Pick<HeldOut, 'chances' | 'nearestClasses' | 'nearestDistances'>

/** What is the same in each fold. */
interface Trial {
  readonly input: HoldOutInput
  readonly folds: Folds
  readonly linear: LinearTrials
  readonly depths: readonly number[]
  readonly boostings: DepthTrials
  readonly answers: Answers
}

/** Depths of boosted trees that are tried with so many folds, the usual one first: with one fold there are many examples, and each trial takes long. */
function depthsFor(folds: number): readonly number[] {
  return folds > 1 ? [shallowBoosting, deepBoosting] : [deepBoosting]
}

function prepare(input: HoldOutInput, folds: Folds): Trial {
  const { table } = input
  const [examples, classCount] = [folds.examples.length, table.matrix.labels.length]
  const depths = depthsFor(folds.count)
  return {
    input,
    folds,
    linear: new LinearTrials(table, folds.count > 1),
    depths,
    boostings: new DepthTrials(depths, examples, classCount),
    answers: {
      chances: new Float64Array(examples * memberCount * classCount),
      nearestClasses: new Int32Array(examples),
      nearestDistances: new Float64Array(examples),
    },
  }
}

/** Trains on what is kept while `fold` is held out, and asks about its examples. */
function predictFold(
  { input, folds, linear, depths, boostings, answers }: Trial,
  kept: Kept,
  fold: number,
  stage: Stage,
): void {
  const { table, view, seed, nearestLimit } = input
  const { rowWeights, known } = kept
  const [usualDepth, ...otherDepths] = depths as [number, ...number[]]
  const classCount = table.matrix.labels.length
  const options = {
    seed,
    penalty: linear.penalty,
    linear: linear.weightsOf(fold),
    trees: folds.count > 1 ? forestTrees : treesOfMany,
    depth: usualDepth,
  }
  const trained = trainMembers({ table, rowWeights, nearest: view.nearest(known, seed) }, options, part(stage, 0, 0.7))
  const trees = [
    trained.boosting,
    ...otherDepths.map((depth) => trainBoosting(table, rowWeights, { seed, depth }, part(stage, 0.7, 1))),
  ]
  const panel = new MemberPanel(trained, classCount)
  const codes = new Uint8Array(table.trees.columnCount)
  const { scale } = trained.nearest
  for (let h = 0; h < folds.examples.length; h++) {
    const example = folds.examples[h] as number
    if (folds.of[example] !== fold) continue
    view.look(example)
    panel.predictRow(table, table.matrix.rowOf[example] as number, codes, view.view)
    answers.chances.set(panel.chances, h * memberCount * classCount)
    boostings.predict(h, trees, codes)
    const { label, distance } = panel.nearestWithin(view.view, scale * nearestLimit)
    answers.nearestClasses[h] = label
    answers.nearestDistances[h] = distance / scale
  }
}

/** What was said, with the boosting that did best in the place of the usual one. */
function gather({ input, folds, linear, boostings, answers }: Trial): HeldOut {
  const { weights } = input
  const { rowOf, classes, labels } = input.table.matrix
  const { examples } = folds
  let total = 0
  for (const example of examples) total += weights[example] as number
  const counted = Float64Array.from(examples, (example) => ((weights[example] as number) * examples.length) / total)
  const truth = Int32Array.from(examples, (example) => classes[rowOf[example] as number] as number)
  const boosting = boostings.best(truth, counted)
  for (let h = 0; h < examples.length; h++)
    answers.chances.set(boosting.chances(h), (h * memberCount + boostingPlace) * labels.length)
  return {
    classCount: labels.length,
    examples,
    classes: truth,
    weights: counted,
    folds: Int32Array.from(examples, (example) => folds.of[example] as number),
    foldCount: folds.count,
    allLabels: labels.every((_, label) => truth.includes(label)),
    penalty: linear.penalty,
    depth: boosting.depth,
    rounds: boosting.rounds,
    ...answers,
  }
}

/** The answers on held-out examples; null where there are too few examples. */
export function holdOut(input: HoldOutInput, stage: Stage): HeldOut | null {
  const { table, weights, seed } = input
  const folds = foldExamples(table, seed)
  if (folds === null) return null
  const { count } = folds
  const trial = prepare(input, folds)
  const parts = Array.from({ length: count }, (_, fold) => withoutFold(table, folds, fold, weights))
  parts.forEach(({ rowWeights }, fold) => {
    const portion = part(stage, (linearShare * fold) / count, (linearShare * (fold + 1)) / count)
    trial.linear.tryFold(rowWeights, foldWeights(table, folds, fold, weights), portion)
  })
  parts.forEach((kept, fold) => {
    const from = (share: number): number => linearShare + ((1 - linearShare) * share) / count
    predictFold(trial, kept, fold, part(stage, from(fold), from(fold + 1)))
  })
  return gather(trial)
}
