/**
 * Decision points that are left out, because they name the time that an event is from, and tell nothing of the next.
 *
 * A weekday, an organisation, a year or a counter names a part of the stream. Examples of one part tell each other's
 * labels by it, held-out ones too, but not those of events to come. So examples are held out in blocks of time.
 * (Roberts et al., "Cross-validation strategies for data with temporal, spatial, hierarchical, or phylogenetic
 * structure", 2017.)
 *
 * 1. A point is a candidate where its values tell which block an event is from.
 * 2. All candidates are left out together where a random forest then does better on blocks that it has not seen. One at
 *    a time says nothing: the others still name the block.
 *
 * Owns: this choice, and events without these points. Leaves out: the forest (forest.ts).
 */
import type { Example, PointValue, PointValues, TrainingSet } from '../classifier.js'
import { firstsOf } from '../features/shared-values.js'
import { copyCodes } from '../features/tree-table.js'
import { hashPair, hashScalar } from '../hash.js'
import { ProgressReport, type Stage } from '../progress.js'
import { flooredLoss, significantGain } from '../significant-gain.js'
import { growForest, predictForest } from '../trees/forest.js'
import { evenly } from '../trees/row-draw.js'
import { codeExamples } from './coded-examples.js'

/** Blocks of examples in the order of time. */
const blockCount = 3
/** With fewer examples a block says too little. */
const examplesMin = 100
/** More are sampled evenly. */
const examplesMax = 1_000
const backgroundMax = 500
/** The least share of what there is to know about the block that a candidate tells. */
const toldMin = 0.25
const candidatesMax = 4
/** Numbers of more distinct values than this are compared by their twentieths. */
const distinctMax = 20
/** The weight of equal shares beside the counts of a value. */
const smoothing = 2
/** The standard errors that leaving out has to gain. */
const standardErrors = 0.75
const forest = { bootstrap: true, breadth: 1.5, rowsMax: 16_384, trees: 60, seed: 0 }

function hashOf(value: PointValue): number {
  if (!Array.isArray(value)) return value === null ? 0 : hashScalar(0, value)
  let hash = value.length
  for (const item of value) hash = hashPair(hash, hashScalar(1, item))
  return hash
}

/** The values of a point as groups; numbers that hardly recur are in a group with those of about the same size. */
function groupsOf(values: readonly PointValue[]): Int32Array {
  const hashes = Int32Array.from(values, hashOf)
  const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b)
  if (numbers.length * 2 < values.length || new Set(hashes).size <= distinctMax) return hashes
  const edges = Array.from({ length: 19 }, (_, i) => numbers[Math.floor(((i + 1) * numbers.length) / 20)] as number)
  return Int32Array.from(values, (value) =>
    typeof value === 'number' ? edges.filter((edge) => edge <= value).length : -1,
  )
}

/** The share of what there is to know about the blocks that these groups tell; each example is left out of its own. */
function toldOf(groups: Int32Array, blocks: Int32Array): number {
  const counts = new Map<number, Float64Array>()
  groups.forEach((group, i) => {
    const count = counts.get(group) ?? new Float64Array(blockCount + 1)
    counts.set(group, count)
    for (const at of [blocks[i] as number, blockCount]) count[at] = (count[at] as number) + 1
  })
  let gain = 0
  groups.forEach((group, i) => {
    const count = counts.get(group) as Float64Array
    const same = (count[blocks[i] as number] as number) - 1
    const chance = (same + smoothing / blockCount) / ((count[blockCount] as number) - 1 + smoothing)
    gain += Math.log(chance * blockCount)
  })
  return gain / groups.length / Math.log(blockCount)
}

/** An event without these points; the event itself where there are none. */
export function withoutPoints(values: PointValues, leftOut: Int32Array): PointValues {
  if (leftOut.length === 0) return values
  const rest = values.slice()
  for (const point of leftOut) rest[point] = null
  return rest
}

/** The training set without these points. */
export function setWithout(set: TrainingSet, leftOut: Int32Array): TrainingSet {
  if (leftOut.length === 0) return set
  const firsts = firstsOf(set.examples)
  const examples: Example[] = []
  // What shares its values still does.
  for (const [i, example] of set.examples.entries()) {
    const first = firsts[i] as number
    const values = first < i ? (examples[first] as Example).values : withoutPoints(example.values, leftOut)
    examples.push({ ...example, values })
  }
  return { ...set, examples, background: set.background.map((values) => withoutPoints(values, leftOut)) }
}

/** The losses of a random forest on examples of blocks that it has not seen. */
function blockLosses(set: TrainingSet, blocks: Int32Array, stage: Stage): Float64Array {
  const silent = new ProgressReport(() => true)
  const { table } = codeExamples(set, silent)
  const { rowOf, rowCount, classes, labels } = table.matrix
  const shares = new Float64Array(labels.length)
  const codes = new Uint8Array(table.trees.columnCount)
  const losses = new Float64Array(rowOf.length)
  for (let block = 0; block < blockCount; block++) {
    stage.at(block / blockCount)
    const weights = new Float64Array(rowCount)
    rowOf.forEach((row, i) => {
      if (blocks[i] !== block) weights[row] = (weights[row] as number) + (set.examples[i]?.weight ?? 0)
    })
    const rows = Int32Array.from(weights.keys()).filter((row) => (weights[row] as number) > 0)
    const trees = growForest(table.trees, { rows, weights }, forest, { at: () => undefined })
    rowOf.forEach((row, i) => {
      if (blocks[i] !== block) return
      copyCodes(table.trees, row, codes)
      predictForest(trees, codes, shares)
      losses[i] = flooredLoss(1, shares[classes[row] as number] as number, labels.length)
    })
  }
  return losses
}

/** The indices of the points to leave out, ascending; most often none. */
export function chooseLeftOut(all: TrainingSet, stage: Stage): Int32Array {
  const none = new Int32Array(0)
  if (all.examples.length < examplesMin) return none
  const set = {
    ...all,
    examples: evenly(all.examples, examplesMax),
    background: evenly(all.background, backgroundMax),
  }
  const count = set.examples.length
  const blocks = Int32Array.from({ length: count }, (_, i) => Math.floor((i * blockCount) / count))
  const told = set.points.map((_, point) => {
    const values = set.examples.map((example) => example.values[point] ?? null)
    return { point, share: toldOf(groupsOf(values), blocks) }
  })
  const candidates = told.filter(({ share }) => share >= toldMin).sort((a, b) => b.share - a.share || a.point - b.point)
  if (candidates.length === 0 || candidates.length === set.points.length) return none
  const leftOut = Int32Array.from(candidates.slice(0, candidatesMax), ({ point }) => point).sort()
  const before = blockLosses(set, blocks, stage)
  const after = blockLosses(setWithout(set, leftOut), blocks, stage)
  return significantGain(before, after, standardErrors) > 0 ? leftOut : none
}
