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
import { forestTrees, memberCount, MemberPanel, trainMembers } from './members.js'
import { recallLimit } from './recall.js'
import type { Sight } from './sight.js'
import { part, type Stage } from './progress.js'

const examplesMin = 20
const labelExamplesMin = 3
const sampleMax = 4_000
const foldCount = 3
/** Above so many examples one fold of them is enough: the others are trained on once, and never asked. */
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
  /** The class of the nearest example outside of its fold, -1 where none is near, and how many times the usual distance that is. */
  readonly nearestClasses: Int32Array
  readonly nearestDistances: Float64Array
}

/** The fold of each example, in turn within its label and in an order of chance; TRAINED is never held out, LEFT_OUT not in the draw. */
function assignFolds(table: LearningTable, asked: number, dice: Dice): Int32Array {
  const { rowOf, classes, labels } = table.matrix
  const counts = new Int32Array(labels.length)
  for (const row of rowOf) counts[classes[row] as number] = (counts[classes[row] as number] as number) + 1
  const share = Math.min(1, sampleMax / rowOf.length)
  const next = new Int32Array(labels.length)
  return rowOf.map((row) => {
    const label = classes[row] as number
    if ((counts[label] as number) < labelExamplesMin) return TRAINED
    if (dice.below(1 << 20) >= share * (1 << 20)) return LEFT_OUT
    next[label] = (next[label] as number) + 1
    const fold = (next[label] as number) % foldCount
    return fold < asked ? fold : TRAINED
  })
}

/** Trains on all folds but one, in turn, and asks of that one; null where there are too few examples. `judging` are the weights that answers count with. */
export function holdOut(table: LearningTable, sight: Sight, weights: Float64Array, judging: Float64Array, seed: number, dice: Dice, stage: Stage): HeldOut | null {
  const { rowOf, classes, rowCount, labels } = table.matrix
  if (rowOf.length < examplesMin) return null
  const asked = rowOf.length <= allFoldsMax ? foldCount : 1
  const folds = assignFolds(table, asked, dice)
  const examples = Int32Array.from(folds.keys()).filter((i) => (folds[i] as number) >= 0)
  if (examples.length < examplesMin / 2) return null
  const classCount = labels.length
  const chances = new Float64Array(examples.length * memberCount * classCount)
  const nearestClasses = new Int32Array(examples.length)
  const nearestDistances = new Float64Array(examples.length)
  const codes = new Uint8Array(table.trees.columnCount)
  for (let fold = 0; fold < asked; fold++) {
    const rowWeights = new Float64Array(rowCount)
    const known: number[] = []
    for (let i = 0; i < rowOf.length; i++) {
      if (folds[i] === fold || folds[i] === LEFT_OUT) continue
      known.push(i)
      rowWeights[rowOf[i] as number] = (rowWeights[rowOf[i] as number] as number) + (weights[i] as number)
    }
    const trained = trainMembers(table, rowWeights, sight.nearest(known, seed), seed, part(stage, fold / asked, (fold + 1) / asked), asked > 1 ? forestTrees : treesOfMany)
    const panel = new MemberPanel(trained, classCount)
    for (let h = 0; h < examples.length; h++) {
      const example = examples[h] as number
      if (folds[example] !== fold) continue
      sight.look(example)
      panel.askRow(table, rowOf[example] as number, codes, sight.view)
      chances.set(panel.chances, h * memberCount * classCount)
      const { label, distance } = panel.nearestWithin(sight.view, trained.nearest.scale * recallLimit)
      nearestClasses[h] = label
      nearestDistances[h] = distance / trained.nearest.scale
    }
  }
  let total = 0
  for (const example of examples) total += judging[example] as number
  return {
    classCount,
    examples,
    classes: Int32Array.from(examples, (example) => classes[rowOf[example] as number] as number),
    weights: Float64Array.from(examples, (example) => ((judging[example] as number) * examples.length) / total),
    folds: Int32Array.from(examples, (example) => folds[example] as number),
    foldCount: asked,
    chances,
    nearestClasses,
    nearestDistances,
  }
}
