/**
 * The members' answers on labelled events that they were not trained on.
 *
 * Each fold is held out in turn: members are trained on the other folds and answer for this one. Answers count with the
 * weights of the examples, as much as each stands for in the stream. This is importance weighted cross-validation
 * (Sugiyama, Krauledat, Müller, "Covariate shift adaptation by importance weighted cross validation", 2007).
 *
 * Owns: these trainings, and two choices by their answers: the penalty of the linear member, the depth and rounds of
 * boosting. Leaves out: the folds (folds.ts), the use of the answers (pool.ts, corrections.ts).
 */
import type { LearningTable } from '../features/learning-table.js'
import { LinearTrials, type LinearPenalty } from '../linear/linear-choice.js'
import { part, type Stage } from '../progress.js'
import { foldExamples, foldWeights, withoutFold, type Folds, type Kept } from './folds.js'
import {
  boostingPlace,
  deepBoosting,
  memberCount,
  MemberPanel,
  shallowBoosting,
  trainBoosting,
  trainMembers,
  treesFor,
} from './members.js'
import type { ExampleView } from './nearest.js'
import { DepthTrials } from './round-choice.js'

/** The share of the work in linear trials. */
const linearShare = 0.2

export interface HoldOutInput {
  readonly table: LearningTable
  readonly view: ExampleView
  /** The weights of the examples. */
  readonly weights: Float64Array
  readonly seed: number
  /** The nearest example is searched up to this many times the usual distance. */
  readonly nearestLimit: number
}

/** Answers on held-out examples. */
export interface HeldOut {
  readonly classCount: number
  /** Indices of the examples, ascending. */
  readonly examples: Int32Array
  readonly classes: Int32Array
  /** The weights of the examples, of mean 1. */
  readonly weights: Float64Array
  readonly folds: Int32Array
  readonly foldCount: number
  /** Probabilities by example, member and class. */
  readonly chances: Float64Array
  /** Each label has held-out examples. */
  readonly allLabels: boolean
  /** The chosen penalty of the linear member. */
  readonly penalty: LinearPenalty
  /** The chosen depth and rounds of boosting. */
  readonly depth: number
  readonly rounds: number
  /** The class of the nearest example outside the fold, -1 where none is near; and its distance in usual distances. */
  readonly nearestClasses: Int32Array
  readonly nearestDistances: Float64Array
}

/** Filled fold by fold. */
type Answers = Pick<HeldOut, 'chances' | 'nearestClasses' | 'nearestDistances'>

/** Shared by all folds. */
interface Trial {
  readonly input: HoldOutInput
  readonly folds: Folds
  readonly linear: LinearTrials
  readonly depths: readonly number[]
  readonly boostings: DepthTrials
  readonly answers: Answers
}

/** Depths to try, the usual one first. With one fold there are many examples, and each trial takes long. */
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

/** Trains on what is kept while `fold` is held out, and predicts its examples. */
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
    trees: treesFor(folds.count),
    depth: usualDepth,
  }
  const trained = trainMembers({ table, rowWeights, nearest: view.nearest(known, seed) }, options, part(stage, 0, 0.7))
  const trees = [
    trained.boosting,
    ...otherDepths.map((depth) => trainBoosting(table, rowWeights, { depth }, part(stage, 0.7, 1))),
  ]
  const panel = new MemberPanel(trained, classCount)
  const codes = new Uint8Array(table.trees.columnCount)
  const { scale } = trained.nearest
  for (let h = 0; h < folds.examples.length; h++) {
    const example = folds.examples[h] as number
    if (folds.of[example] !== fold) continue
    view.load(example)
    panel.predictRow(table, table.matrix.rowOf[example] as number, codes, view.view)
    answers.chances.set(panel.chances, h * memberCount * classCount)
    boostings.predict(h, trees, codes)
    const { label, distance } = panel.nearestWithin(view.view, scale * nearestLimit)
    answers.nearestClasses[h] = label
    answers.nearestDistances[h] = distance / scale
  }
}

/** All answers, with the chosen boosting in place of the usual one. */
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
  const { table, view, weights } = input
  const folds = foldExamples(table, view.keys())
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
