/**
 * What the members say of labelled events that they were not trained on.
 *
 * Owns: folds. An example is in one fold; equal events that came as several examples are spread, as they would come
 * again. A label with few examples is never held out: what is left would not know it.
 * Above `sampleMax` examples a fair draw of them is enough, and above `allFoldsMax` one fold: the more there are, the
 * less it matters.
 */
import type { Dice } from './dice.js'
import type { LearningTable } from './learning-table.js'
import { LinearTrials, type LinearPenalty } from './linear-choice.js'
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
import { recallLimit } from './recall.js'
import { DepthTrials } from './round-choice.js'
import { pickRows } from './row-draw.js'
import type { Sight } from './sight.js'
import { fewExamples } from './sure-gain.js'
import { part, type Stage } from './progress.js'

const examplesMin = 8
const labelExamplesMin = 3
const sampleMax = 4_000
const foldCount = 3
/** Of a handful. */
const foldsOfFew = 5
/**
 * Above so many examples one fold of them is enough: the others are trained on once, and never asked. It is the latest, as
 * what will be asked is later than all: events of one incident, or one week, tell each other's labels, and not those of the next.
 */
const allFoldsMax = 1_000
/** Trees of a forest that is asked about many examples: their mean is hardly another than that of all. */
const treesOfMany = 60
/** In place of a fold. */
const TRAINED = -1
const LEFT_OUT = -2

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

/** Numbers from 0 on for the examples of each label, in this order. */
function rankInLabel(order: Int32Array, labels: Int32Array, counts: Int32Array): Int32Array {
  const ranks = new Int32Array(order.length)
  for (const i of order) {
    const label = labels[i] as number
    const rank = counts[label] as number
    ranks[i] = rank
    counts[label] = rank + 1
  }
  return ranks
}

/** The numbers from 0 to `count` - 1 in an order of chance. */
function shuffled(count: number, dice: Dice): Int32Array {
  const order = Int32Array.from({ length: count }, (_, i) => i)
  return pickRows(order, count, dice)
}

/** How many folds are asked about, of so many examples. */
function foldsFor(examples: number): number {
  if (examples < fewExamples) return foldsOfFew
  return examples <= allFoldsMax ? foldCount : 1
}

/**
 * The fold of each example: in turn within its label in an order of chance, or, where one fold is enough, the latest third
 * of each label. TRAINED is never held out, LEFT_OUT not in the draw.
 */
function assignFolds(table: LearningTable, asked: number, dice: Dice): Int32Array {
  const { rowOf, classes } = table.matrix
  const counts = new Int32Array(table.matrix.labels.length)
  const labels = rowOf.map((row) => classes[row] as number)
  const order = asked === 1 ? Int32Array.from(labels.keys()) : shuffled(labels.length, dice)
  const ranks = rankInLabel(order, labels, counts)
  const share = Math.min(1, sampleMax / rowOf.length)
  return labels.map((label, i) => {
    const count = counts[label] as number
    const rank = ranks[i] as number
    if (count < labelExamplesMin) return TRAINED
    if (dice.below(1 << 20) >= share * (1 << 20)) return LEFT_OUT
    if (asked === 1) return (rank + 1) * foldCount > count * (foldCount - 1) ? 0 : TRAINED
    return (rank + 1) % asked
  })
}

/** What is trained on while a fold is held out: examples by number, and their weights by row. */
function withoutFold(
  table: LearningTable,
  folds: Int32Array,
  fold: number,
  weights: Float64Array,
): { known: number[]; rowWeights: Float64Array } {
  const { rowOf, rowCount } = table.matrix
  const rowWeights = new Float64Array(rowCount)
  const known: number[] = []
  for (let i = 0; i < rowOf.length; i++) {
    if (folds[i] === fold || folds[i] === LEFT_OUT) continue
    known.push(i)
    rowWeights[rowOf[i] as number] = (rowWeights[rowOf[i] as number] as number) + (weights[i] as number)
  }
  return { known, rowWeights }
}

/** Depths of boosted trees that are tried with so many folds, the usual one first: with one fold there are many examples, and each trial takes long. */
function depthsFor(folds: number): readonly number[] {
  return folds > 1 ? [shallowBoosting, deepBoosting] : [deepBoosting]
}

/**
 * Trains on all folds but one, in turn, and asks of that one; null where there are too few examples. Answers count with the
 * weights that examples are trained with: as much as each stands for in the stream (importance weighted cross-validation:
 * Sugiyama, Krauledat, Müller, "Covariate shift adaptation by importance weighted cross validation", 2007).
 */
export function holdOut(
  table: LearningTable,
  sight: Sight,
  weights: Float64Array,
  seed: number,
  dice: Dice,
  stage: Stage,
): HeldOut | null {
  const { rowOf, classes, rowCount, labels } = table.matrix
  if (rowOf.length < examplesMin) return null
  const asked = foldsFor(rowOf.length)
  const folds = assignFolds(table, asked, dice)
  const examples = Int32Array.from(folds.keys()).filter((i) => (folds[i] as number) >= 0)
  if (examples.length < examplesMin / 2) return null
  const classCount = labels.length
  const chances = new Float64Array(examples.length * memberCount * classCount)
  const nearestClasses = new Int32Array(examples.length)
  const nearestDistances = new Float64Array(examples.length)
  const codes = new Uint8Array(table.trees.columnCount)
  const parts = Array.from({ length: asked }, (_, fold) => withoutFold(table, folds, fold, weights))
  const trials = new LinearTrials(table, asked > 1)
  const depths = depthsFor(asked)
  const [usualDepth, ...otherDepths] = depths as [number, ...number[]]
  const boostings = new DepthTrials(depths, examples.length, classCount)
  parts.forEach(({ rowWeights }, fold) => {
    const asking = new Float64Array(rowCount)
    for (const i of examples)
      if (folds[i] === fold)
        asking[rowOf[i] as number] = (asking[rowOf[i] as number] as number) + (weights[i] as number)
    trials.tryFold(rowWeights, asking, part(stage, (0.2 * fold) / asked, (0.2 * (fold + 1)) / asked))
  })
  const { penalty } = trials
  parts.forEach(({ rowWeights, known }, fold) => {
    const options = {
      seed,
      penalty,
      linear: trials.weightsOf(fold),
      trees: asked > 1 ? forestTrees : treesOfMany,
      depth: usualDepth,
    }
    const portion = part(stage, 0.2 + (0.8 * fold) / asked, 0.2 + (0.8 * (fold + 1)) / asked)
    const trained = trainMembers(table, rowWeights, sight.nearest(known, seed), options, part(portion, 0, 0.7))
    const trees = [
      trained.boosting,
      ...otherDepths.map((depth) => trainBoosting(table, rowWeights, { seed, depth }, part(portion, 0.7, 1))),
    ]
    const panel = new MemberPanel(trained, classCount)
    for (let h = 0; h < examples.length; h++) {
      const example = examples[h] as number
      if (folds[example] !== fold) continue
      sight.look(example)
      panel.askRow(table, rowOf[example] as number, codes, sight.view)
      chances.set(panel.chances, h * memberCount * classCount)
      boostings.ask(h, trees, codes)
      const { label, distance } = panel.nearestWithin(sight.view, trained.nearest.scale * recallLimit)
      nearestClasses[h] = label
      nearestDistances[h] = distance / trained.nearest.scale
    }
  })
  let total = 0
  for (const example of examples) total += weights[example] as number
  const counted = Float64Array.from(examples, (example) => ((weights[example] as number) * examples.length) / total)
  const truth = Int32Array.from(examples, (example) => classes[rowOf[example] as number] as number)
  const boosting = boostings.best(truth, counted)
  for (let h = 0; h < examples.length; h++)
    chances.set(boosting.chances(h), (h * memberCount + boostingPlace) * classCount)
  return {
    classCount,
    examples,
    classes: truth,
    weights: counted,
    folds: Int32Array.from(examples, (example) => folds[example] as number),
    foldCount: asked,
    chances,
    allLabels: labels.every((_, label) => truth.includes(label)),
    penalty,
    depth: boosting.depth,
    rounds: boosting.rounds,
    nearestClasses,
    nearestDistances,
  }
}
