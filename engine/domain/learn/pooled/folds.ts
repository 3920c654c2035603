/**
 * Splits the examples into folds, which are held out one after the other.
 *
 * Owns: folds. An example is in one fold at most. Several examples of equal events are spread over the folds, as such
 * events would recur. A label with few examples is never held out: the rest would not know it. Above `sampleMax`
 * examples a random sample of them is held out, and above `allFoldsMax` only one fold: both are then enough.
 */
import type { LearningTable } from '../features/learning-table.js'
import { Sfc32 } from '../sfc32.js'
import { fewExamples } from '../significant-gain.js'
import { pickRows } from '../trees/row-draw.js'

const examplesMin = 8
const labelExamplesMin = 3
const sampleMax = 4_000
const foldCount = 3
/** With fewer than `fewExamples`. */
const foldsOfFew = 5
/**
 * Above this many examples one fold is enough, the latest examples: new events are later than all. Events of one
 * incident, or of one week, tell each other's labels, but not those of the next.
 */
const allFoldsMax = 1_000
/** In place of a fold: always in the training; not in the sample. */
const TRAINED = -1
const LEFT_OUT = -2

export interface Folds {
  /** The number of folds. */
  readonly count: number
  /** The fold of each example; negative for one that is never held out. */
  readonly of: Int32Array
  /** The indices of the examples that are held out, ascending. */
  readonly examples: Int32Array
}

/** What is trained on while a fold is held out: indices of examples, and weights by row. */
export interface Kept {
  readonly known: readonly number[]
  readonly rowWeights: Float64Array
}

/** The rank of each example within its label, from 0, in this order. */
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

/** The numbers from 0 to `count` - 1 in random order. */
function shuffled(count: number, random: Sfc32): Int32Array {
  const order = Int32Array.from({ length: count }, (_, i) => i)
  return pickRows(order, count, random)
}

/** The number of folds for this many examples. */
function foldsFor(examples: number): number {
  if (examples < fewExamples) return foldsOfFew
  return examples <= allFoldsMax ? foldCount : 1
}

/**
 * The fold of each example: in turn within its label, in random order; with a single fold, the latest third of each
 * label.
 */
function assignFolds({ matrix }: LearningTable, count: number, random: Sfc32): Int32Array {
  const { rowOf, classes } = matrix
  const counts = new Int32Array(matrix.labels.length)
  const labels = rowOf.map((row) => classes[row] as number)
  const order = count === 1 ? Int32Array.from(labels.keys()) : shuffled(labels.length, random)
  const ranks = rankInLabel(order, labels, counts)
  const share = Math.min(1, sampleMax / rowOf.length)
  return labels.map((label, i) => {
    const examples = counts[label] as number
    const rank = ranks[i] as number
    if (examples < labelExamplesMin) return TRAINED
    if (random.below(1 << 20) >= share * (1 << 20)) return LEFT_OUT
    if (count === 1) return (rank + 1) * foldCount > examples * (foldCount - 1) ? 0 : TRAINED
    return (rank + 1) % count
  })
}

/** The folds of the examples of a table; null where there are too few to hold any out. */
export function foldExamples(table: LearningTable, seed: number): Folds | null {
  const exampleCount = table.matrix.rowOf.length
  if (exampleCount < examplesMin) return null
  const count = foldsFor(exampleCount)
  const of = assignFolds(table, count, new Sfc32(seed, 1))
  const examples = Int32Array.from(of.keys()).filter((i) => (of[i] as number) >= 0)
  return examples.length < examplesMin / 2 ? null : { count, of, examples }
}

/** What is trained on while `fold` is held out; `weights` are by example. */
export function withoutFold({ matrix }: LearningTable, folds: Folds, fold: number, weights: Float64Array): Kept {
  const { rowOf, rowCount } = matrix
  const rowWeights = new Float64Array(rowCount)
  const known: number[] = []
  for (let i = 0; i < rowOf.length; i++) {
    if (folds.of[i] === fold || folds.of[i] === LEFT_OUT) continue
    known.push(i)
    rowWeights[rowOf[i] as number] = (rowWeights[rowOf[i] as number] as number) + (weights[i] as number)
  }
  return { known, rowWeights }
}

/** The weights of a fold's examples, by row. */
export function foldWeights(
  { matrix }: LearningTable,
  folds: Folds,
  fold: number,
  weights: Float64Array,
): Float64Array {
  const { rowOf, rowCount } = matrix
  const sums = new Float64Array(rowCount)
  for (const i of folds.examples)
    if (folds.of[i] === fold) sums[rowOf[i] as number] = (sums[rowOf[i] as number] as number) + (weights[i] as number)
  return sums
}
