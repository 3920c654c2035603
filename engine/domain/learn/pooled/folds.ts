/**
 * Splits the examples into folds, which are held out one after the other.
 *
 * Owns: folds. An example is in one fold at most. Several examples of equal events are spread over the folds, as such
 * events would recur. A label with few examples is never held out: the rest would not know it. Above `sampleMax`
 * examples a random sample of them is held out, and above `allFoldsMax` only one fold: both are then enough.
 *
 * The fold of an example follows from its values, and hardly from the other examples. So a training with one label
 * more, or with another seed, holds out nearly the same, chooses the same, and changes few answers.
 */
import type { LearningTable } from '../features/learning-table.js'
import { hashPair } from '../hash.js'
import { fewExamples } from '../significant-gain.js'

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

/** The number of folds for this many examples. */
function foldsFor(examples: number): number {
  if (examples < fewExamples) return foldsOfFew
  return examples <= allFoldsMax ? foldCount : 1
}

/** The number of examples of each label. */
function countLabels(labels: Int32Array, labelCount: number): Int32Array {
  const counts = new Int32Array(labelCount)
  for (const label of labels) counts[label] = (counts[label] as number) + 1
  return counts
}

/** The keys, with another one for each further example of equal values. */
function distinctKeys(keys: Int32Array): Int32Array {
  const met = new Map<number, number>()
  return keys.map((key) => {
    const before = met.get(key) ?? 0
    met.set(key, before + 1)
    return hashPair(key, before)
  })
}

/** The latest third of each label is the only fold. */
function holdLatest(labels: Int32Array, counts: Int32Array): Int32Array {
  const ranks = new Int32Array(counts.length)
  return labels.map((label) => {
    const rank = ranks[label] as number
    ranks[label] = rank + 1
    return (rank + 1) * foldCount > (counts[label] as number) * (foldCount - 1) ? 0 : TRAINED
  })
}

/** The fold that a key names; equal keys with other places in their turn name the next one. */
function holdByKey(labels: Int32Array, counts: Int32Array, keys: Int32Array, count: number): Int32Array {
  const distinct = distinctKeys(keys)
  const order = Int32Array.from(labels.keys()).sort(
    (a, b) => (distinct[a] as number) - (distinct[b] as number) || a - b,
  )
  const room = Int32Array.from({ length: counts.length * count }, (_, i) =>
    Math.ceil((counts[Math.floor(i / count)] as number) / count),
  )
  const turns = new Map<number, number>()
  const of = new Int32Array(labels.length)
  for (const i of order) {
    const [label, key] = [labels[i] as number, keys[i] as number]
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    let fold = ((key >>> 0) + turn) % count
    // A fold that has its share of the label leaves the example to the next.
    while (room[label * count + fold] === 0) fold = (fold + 1) % count
    room[label * count + fold] = (room[label * count + fold] as number) - 1
    of[i] = fold
  }
  return of
}

/** The fold of each example. */
function assignFolds({ matrix }: LearningTable, keys: Int32Array, count: number): Int32Array {
  const { rowOf, classes } = matrix
  const labels = rowOf.map((row) => classes[row] as number)
  const counts = countLabels(labels, matrix.labels.length)
  const of = count === 1 ? holdLatest(labels, counts) : holdByKey(labels, counts, keys, count)
  const share = Math.min(1, sampleMax / labels.length)
  const sampleKeys = distinctKeys(keys)
  return of.map((fold, i) => {
    if ((counts[labels[i] as number] as number) < labelExamplesMin) return TRAINED
    return (sampleKeys[i] as number) >>> 0 >= share * 0x1_0000_0000 ? LEFT_OUT : fold
  })
}

/**
 * The folds of the examples of a table; null where there are too few to hold any out. `keys` are hashes of the values
 * of the examples.
 */
export function foldExamples(table: LearningTable, keys: Int32Array): Folds | null {
  const exampleCount = table.matrix.rowOf.length
  if (exampleCount < examplesMin) return null
  const count = foldsFor(exampleCount)
  const of = assignFolds(table, keys, count)
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
