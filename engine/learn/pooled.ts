/**
 * The classifier `pooled/1`: a linear model, two forests, boosted trees and the nearest neighbour, mixed by what each is worth on held-out
 * examples. What a job trains with.
 *
 * Owns: the order of a training. Leaves out: each step (the files imported below), the bytes (pooled-model.ts).
 */
import { assert } from '../assert.js'
import { roundsMax } from './boosting.js'
import { fitBalance } from './class-balance.js'
import { cellHash, fitCells, noCells, type Cells } from './cells.js'
import type { Classifier, Example, Model, PointValues, TrainingProgress, TrainingSet } from './classifier.js'
import { fitRule, type DecisionRule } from './decision-rule.js'
import { Dice } from './dice.js'
import { chooseEncoder } from './encoder-choice.js'
import { buildMatrix, rowsPerLook } from './example-matrix.js'
import { evenly } from './evenly.js'
import { chooseFactors } from './factor-choice.js'
import { FeatureTable } from './feature-table.js'
import { holdOut, type HeldOut } from './held-out.js'
import { weighByStream } from './importance.js'
import { buildLearningTable, type LearningTable } from './learning-table.js'
import { usualPenalty } from './linear-choice.js'
import { doubted, fillDoubts, forestTrees, memberCount, shallowBoosting, trainMembers } from './members.js'
import { chooseReferences } from './nearest.js'
import { OutlierDetector } from './outlier-detector.js'
import type { AtomRows } from './pair-choice.js'
import { fitPool, mix, poolToAnswer, type Pool } from './pool.js'
import {
  PooledAnswer,
  PooledModel,
  pooledKind,
  readPooled,
  spread,
  uniformShareOf,
  writePooled,
  type AnswerParts,
} from './pooled-model.js'
import { ProgressReport, type Stage } from './progress.js'
import { fitRecall, noRecall } from './recall.js'
import { fitSharpness } from './sharpness.js'
import { Sight } from './sight.js'
import { countFeatures, limitFeatures } from './vocabulary.js'

/** So many examples draw training weights half-way to the stream's shares, many more wholly: few tell little of them. */
const streamHalf = 10
/** Events of the stream that the decision rule is fitted to. */
const ruleEventsMax = 2_000
/** Known events that say what is usual, of the examples and of the background each. */
const knownMax = 2_500
/** From so many held-out examples on these alone say what is usual. */
const toldMin = 300

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

function atomsOf(set: TrainingSet, table: LearningTable): AtomRows {
  const { matrix, coder } = table
  const pointCount = set.points.length
  const atoms = new Int32Array(set.examples.length * pointCount)
  set.examples.forEach(({ values }, i) => {
    coder.encoder.encode(values)
    atoms.set(coder.encoder.atoms, i * pointCount)
  })
  const classes = matrix.rowOf.map((row) => matrix.classes[row] as number)
  return { pointCount, atoms, classes, classCount: matrix.labels.length }
}

/** Weights to train with: the examples' own, drawn towards what each stands for in the stream; of the same total. */
function weigh(set: TrainingSet, table: LearningTable, featureCount: number, stage: Stage): Float64Array {
  const { matrix, coder } = table
  const ratios = weighByStream(matrix, matrix.weights, set.background, coder, featureCount, stage)
  const pull = set.examples.length / (set.examples.length + streamHalf)
  const weights = Float64Array.from(
    set.examples,
    ({ weight }, i) => weight * (ratios[matrix.rowOf[i] as number] as number) ** pull,
  )
  const share = sum(set.examples.map(({ weight }) => weight)) / sum(weights)
  return weights.map((weight) => weight * share)
}

/** Sums of the examples' weights by row, of the same total as the examples' own. */
function rowWeights(table: LearningTable, weights: Float64Array): Float64Array {
  const sums = new Float64Array(table.matrix.rowCount)
  const { rowOf } = table.matrix
  for (let i = 0; i < rowOf.length; i++)
    sums[rowOf[i] as number] = (sums[rowOf[i] as number] as number) + (weights[i] as number)
  return sums
}

/** The pool's answers on the held-out examples, class by class. */
function poolHeldOut(held: HeldOut, pool: Pool): Float64Array {
  const { classCount } = held
  const pooled = new Float64Array(held.classes.length * classCount)
  const chances = held.chances.slice()
  for (let h = 0; h < held.classes.length; h++) {
    mix(pool, chances, h * memberCount * classCount, pooled.subarray(h * classCount, (h + 1) * classCount))
  }
  return pooled
}

/** Mean log-loss and accuracy of the held-out answers. */
function judge(held: HeldOut, pooled: Float64Array, share: number): { logLoss: number; accuracy: number } {
  const { classCount, classes, weights } = held
  let loss = 0
  let right = 0
  for (let h = 0; h < classes.length; h++) {
    const answer = pooled.subarray(h * classCount, (h + 1) * classCount)
    loss -=
      (weights[h] as number) * Math.log((1 - share) * (answer[classes[h] as number] as number) + share / classCount)
    if (answer.indexOf(Math.max(...answer)) === classes[h]) right += weights[h] as number
  }
  return { logLoss: loss / classes.length, accuracy: right / classes.length }
}

/** Held-out answers as probabilities of all labels, without the share of the uniform, one example after the other. */
function heldOutProbabilities(
  held: HeldOut,
  pooled: Float64Array,
  parts: AnswerParts,
  labelCount: number,
): Float64Array {
  const all = new Float64Array(held.classes.length * labelCount)
  for (let h = 0; h < held.classes.length; h++) {
    spread(
      { labels: parts.labels, uniformShare: 0 },
      pooled,
      h * held.classCount,
      all.subarray(h * labelCount, (h + 1) * labelCount),
    )
  }
  return all
}

/** The rule, fitted to the stream: events that nobody labelled, and labelled ones as they were held out. */
function chooseRule(
  set: TrainingSet,
  parts: AnswerParts,
  rows: AtomRows,
  held: HeldOut | null,
  heldOut: Float64Array,
): DecisionRule {
  const { labelCount } = set
  const objective = set.objective ?? 'accuracy'
  // The other rules do not depend on the stream.
  if (objective !== 'macro_f1')
    return fitRule(objective, new Float64Array(0), new Float64Array(0), parts.labels, labelCount, parts.uniformShare)
  const answer = new PooledAnswer(parts)
  const uniform = parts.uniformShare / labelCount
  const all = Int32Array.from({ length: rows.pointCount }, (_, point) => point)
  const labelled = new Set<number>()
  for (let i = 0; i < rows.classes.length; i++) labelled.add(cellHash(all, rows.atoms, i * rows.pointCount))
  const stream = [...heldOut]
  const weights = held === null ? [] : [...held.weights]
  const probabilities = new Float64Array(labelCount)
  for (const values of evenly(set.background, ruleEventsMax)) {
    answer.fill(values, probabilities)
    if (labelled.has(cellHash(all, answer.coder.encoder.atoms, 0))) continue
    for (const probability of probabilities) stream.push((probability - uniform) / (1 - parts.uniformShare))
    weights.push(1)
  }
  return fitRule(
    objective,
    Float64Array.from(stream),
    Float64Array.from(weights),
    parts.labels,
    labelCount,
    parts.uniformShare,
  )
}

/** What is usual, from known events, each as if it had not been seen; `references` are the numbers of those that the model holds. */
function fitDetector(
  set: TrainingSet,
  parts: AnswerParts,
  references: readonly number[],
  held: HeldOut | null,
  stage: Stage,
): OutlierDetector {
  const { examples, background, labelCount } = set
  const heldAt = new Map(Array.from(held?.examples ?? [], (example, h) => [example, h]))
  const answer = new PooledAnswer(parts)
  const probabilities = new Float64Array(labelCount)
  const distances: number[] = []
  const doubts = doubted.map((): number[] => [])
  const take = (values: PointValues, place = -1, heldPlace = -1): void => {
    if (distances.length % rowsPerLook === 0) stage.at(distances.length / (2 * knownMax))
    answer.fill(values, probabilities, place)
    distances.push(answer.distance)
    if (held !== null && heldPlace >= 0)
      fillDoubts(held.chances, heldPlace * memberCount * held.classCount, held.classCount, answer.doubts)
    doubts.forEach((list, d) => list.push(answer.doubts[d] as number))
  }
  const places = new Map(references.map((example, place) => [example, place]))
  // Of many examples those that were held out do: about the others the model is surer than about anything that comes.
  const told = held !== null && held.examples.length >= toldMin ? [...held.examples] : [...examples.keys()]
  for (const i of evenly(told, knownMax)) take((examples[i] as Example).values, places.get(i), heldAt.get(i))
  for (const values of evenly(background, knownMax)) take(values)
  return OutlierDetector.of(
    Float64Array.from(distances),
    doubts.map((list) => Float64Array.from(list)),
  )
}

function train(set: TrainingSet, progress: TrainingProgress): Uint8Array {
  assert(set.examples.length > 0, 'a training has examples')
  const report = new ProgressReport(progress)
  const labelled = set.examples.map((example) => example.values)
  const encoder = chooseEncoder(
    set,
    [...labelled, ...set.background],
    report.stage(0, 0.03, 'Looking for telling values'),
  )
  const features = new FeatureTable()
  const all = buildMatrix(set.examples, encoder, features, report.stage(0.03, 0.05, 'Reading the examples'))
  const counts = countFeatures(all, set.background, encoder, features, report.stage(0.05, 0.06, 'Counting values'))
  const found = { matrix: all, hashes: features.hashes(), counts }
  const vocabulary = limitFeatures(found, report.stage(0.06, 0.07, 'Leaving out the rarest'))
  const factors = chooseFactors(labelled, set.background, encoder.profiles, report.stage(0.07, 0.08, 'Reading texts'))
  const table = buildLearningTable(
    set.examples,
    set.background,
    vocabulary,
    encoder,
    factors,
    report.stage(0.08, 0.09, 'Coding the examples'),
  )
  const weights = weigh(set, table, vocabulary.hashes.length, report.stage(0.09, 0.12, 'Comparing with the stream'))
  const rows = atomsOf(set, table)
  const { labels } = table.matrix
  const uniformShare = uniformShareOf(set.examples.length, set.labelCount)
  const comparing = report.stage(0.12, 0.55, 'Comparing on held-out examples')
  const sight = new Sight(
    set.examples,
    encoder,
    (example) => table.matrix.classes[table.matrix.rowOf[example] as number] as number,
  )
  const held = holdOut(table, sight, weights, set.seed, new Dice(set.seed, 1), comparing)
  const pool = fitPool(held, set.examples.length, uniformShare)
  const pooled = held === null ? null : poolHeldOut(held, pool)
  const references = chooseReferences(set.examples, [...set.examples.keys()], set.seed)
  const options = {
    seed: set.seed,
    penalty: held?.penalty ?? usualPenalty,
    trees: forestTrees,
    depth: held?.depth ?? shallowBoosting,
    rounds: held?.rounds ?? roundsMax,
  }
  const members = trainMembers(
    table,
    rowWeights(table, weights),
    sight.nearest(references, set.seed),
    options,
    report.stage(0.55, 0.93, 'Fitting the model'),
  )
  let cells: Cells = noCells
  const choosing = report.stage(0.93, 0.95, 'Remembering what was said of equal events')
  const recall =
    held === null || pooled === null ? noRecall : fitRecall(held, pooled, members.nearest.scale, uniformShare)
  if (held !== null && pooled !== null) cells = fitCells(rows, weights, held, pooled, uniformShare, choosing)
  const sharpness = held === null || pooled === null ? 1 : fitSharpness(held, pooled, uniformShare)
  const balance = held === null || pooled === null ? new Float64Array(0) : fitBalance(held, pooled)
  const { coder, columns, columnOf } = table
  const parts: AnswerParts = {
    labels,
    coder: {
      points: set.points,
      profiles: encoder.profiles,
      pairs: encoder.pairs,
      features: vocabulary.hashes,
      counts: vocabulary.counts,
      columns,
      columnOf,
      columnCount: coder.codes.length,
      factors,
    },
    members,
    pool: poolToAnswer(pool, held),
    recall,
    cells,
    sharpness,
    balance,
    uniformShare,
  }
  const heldOut =
    held === null || pooled === null ? new Float64Array(0) : heldOutProbabilities(held, pooled, parts, set.labelCount)
  const bytes = writePooled({
    ...parts,
    labelCount: set.labelCount,
    detector: fitDetector(set, parts, references, held, report.stage(0.95, 0.99, 'Measuring what is usual')),
    rule: chooseRule(set, parts, rows, held, heldOut),
    examples: set.examples.length,
    ...(held === null || pooled === null ? { logLoss: null, accuracy: null } : judge(held, pooled, uniformShare)),
  })
  report.stage(0, 1, 'Trained').at(1)
  return bytes
}

/** Good from two examples to hundreds of thousands. */
export const pooled: Classifier = {
  kind: pooledKind,
  train,
  load(bytes: Uint8Array): Model {
    return new PooledModel(readPooled(bytes))
  },
}
