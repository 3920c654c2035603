/**
 * Chooses what cannot be fitted: the strength of the penalty and the temperature, by examples held out.
 *
 * Owns: folds. An example is in one fold; equal events that came as several examples are spread, as they would come
 * again, and one example of any weight is held out whole.
 *
 * 1. A label with few examples is never held out: what is left would not know it, and all doubt would be its own.
 * 2. Above `sampleMax` examples a sample chooses; the more there are, the less it matters.
 */
import { calibrate, evaluate, fitTemperature, uniformShareOf, type Calibration, type HeldOut } from './calibration.js'
import { sampleMatrix, type ExampleMatrix } from './example-matrix.js'
import { hashNumber } from './hash.js'
import { fitLogistic, scoreRow } from './logistic.js'
import { part, type Stage } from './progress.js'

/** What was chosen. */
export interface ModelChoice {
  readonly strength: number
  readonly calibration: Calibration
  /** How good it is on examples held out; null where there were too few. */
  readonly logLoss: number | null
  readonly accuracy: number | null
  /** For each row 1 - the top probability when it was held out; NaN where it never was. */
  readonly doubts: Float64Array
}

/** From strong to weak: each starts from the weights of the one before. */
const strengths = [30, 8, 2, 0.5, 0.125, 0.03]
/**
 * Where a sample chooses for more examples, a weaker penalty has to be better by this share of the log-loss: the whole
 * has more values that mean nothing.
 */
const sampledGainMin = 0.01
const usualStrength = 0.5
const examplesMin = 20
const labelExamplesMin = 3
const sampleMax = 6_000
const iterationsMax = 40

function foldCountFor(examples: number): number {
  if (examples <= 500) return 5
  return examples <= 1_000 ? 3 : 2
}

/** At most `sampleMax` examples, by chance and in an order of chance. */
function drawExamples(count: number, seed: number): Int32Array {
  const keys = Uint32Array.from({ length: count }, (_, i) => hashNumber(seed, i))
  const last = keys.slice().sort()[Math.min(count, sampleMax) - 1] as number
  const drawn = Int32Array.from(keys.keys()).filter((i) => (keys[i] as number) <= last)
  return drawn.sort((a, b) => (keys[a] as number) - (keys[b] as number) || a - b)
}

/** The fold of each example: in turn within its label; -1 is always trained on. */
function assignFolds(matrix: ExampleMatrix, foldCount: number): Int32Array {
  const { rowOf, classes } = matrix
  const counts = new Int32Array(matrix.labels.length)
  const labels = rowOf.map((row) => classes[row] as number)
  for (const label of labels) counts[label] = (counts[label] as number) + 1
  const next = new Int32Array(matrix.labels.length)
  return labels.map((label) => {
    if ((counts[label] as number) < labelExamplesMin) return -1
    return (next[label] = (next[label] as number) + 1) % foldCount
  })
}

/** Row weights of the examples that `chosen` says yes to. */
function weighRows(matrix: ExampleMatrix, weights: Float64Array, chosen: (example: number) => boolean): Float64Array {
  const rowWeights = new Float64Array(matrix.rowCount)
  for (let i = 0; i < weights.length; i++) {
    if (!chosen(i)) continue
    const row = matrix.rowOf[i] as number
    rowWeights[row] = (rowWeights[row] as number) + (weights[i] as number)
  }
  return rowWeights
}

/** The scores of held-out rows under each strength. */
interface HeldOutScores {
  readonly rows: number[]
  readonly weights: number[]
  /** By strength, then row by row. */
  readonly scores: readonly number[][]
}

/** Trains on all folds but one, in turn, and scores that one. */
function holdOut(
  matrix: ExampleMatrix,
  weights: Float64Array,
  folds: Int32Array,
  foldCount: number,
  stage: Stage,
): HeldOutScores {
  const classCount = matrix.labels.length
  const held: HeldOutScores = { rows: [], weights: [], scores: strengths.map(() => []) }
  const scores = new Float64Array(classCount)
  for (let fold = 0; fold < foldCount; fold++) {
    const training = weighRows(matrix, weights, (i) => folds[i] !== fold)
    const testing = weighRows(matrix, weights, (i) => folds[i] === fold)
    const model = new Float64Array((matrix.featureCount + 1) * classCount)
    const first = held.rows.length
    for (let row = 0; row < matrix.rowCount; row++) {
      if ((testing[row] as number) === 0) continue
      held.rows.push(row)
      held.weights.push(testing[row] as number)
    }
    for (let s = 0; s < strengths.length; s++) {
      const done = fold * strengths.length + s
      const portion = part(stage, done / (foldCount * strengths.length), (done + 1) / (foldCount * strengths.length))
      fitLogistic(matrix, training, model, { strength: strengths[s] as number, iterationsMax }, portion)
      for (let h = first; h < held.rows.length; h++) {
        scoreRow(matrix, held.rows[h] as number, model, scores)
        for (const score of scores) (held.scores[s] as number[]).push(score)
      }
    }
  }
  return held
}

/** 1 - the top calibrated probability of each held-out row. */
function doubtsOf(heldOut: HeldOut, rows: readonly number[], rowCount: number, calibration: Calibration): Float64Array {
  const doubts = new Float64Array(rowCount).fill(NaN)
  const { classCount } = heldOut
  for (let h = 0; h < rows.length; h++) {
    const scores = heldOut.scores.slice(h * classCount, (h + 1) * classCount)
    calibrate(scores, calibration)
    doubts[rows[h] as number] = 1 - Math.max(...scores)
  }
  return doubts
}

/** Chooses for this matrix; `weights` are the examples' own. */
export function chooseModel(matrix: ExampleMatrix, weights: Float64Array, seed: number, stage: Stage): ModelChoice {
  const classCount = matrix.labels.length
  const uniformShare = uniformShareOf(weights.length, classCount)
  let best: ModelChoice = {
    strength: usualStrength,
    calibration: { temperature: 1, uniformShare },
    logLoss: null,
    accuracy: null,
    doubts: new Float64Array(matrix.rowCount).fill(NaN),
  }
  if (weights.length < examplesMin) return best
  const examples = drawExamples(weights.length, seed)
  const sample = sampleMatrix(matrix, examples)
  const foldCount = foldCountFor(examples.length)
  const folds = assignFolds(sample.matrix, foldCount)
  if (!folds.some((fold) => fold >= 0)) return best
  const sampleWeights = Float64Array.from(examples, (example) => weights[example] as number)
  const held = holdOut(sample.matrix, sampleWeights, folds, foldCount, stage)
  const classes = Int32Array.from(held.rows, (row) => sample.matrix.classes[row] as number)
  const rows = held.rows.map((row) => sample.rows[row] as number)
  const heldWeights = Float64Array.from(held.weights)
  const gainMin = examples.length < weights.length ? sampledGainMin : 0
  for (let s = 0; s < strengths.length; s++) {
    stage.at(1)
    const heldOut = { classCount, scores: Float64Array.from(held.scores[s] as number[]), classes, weights: heldWeights }
    const calibration = { temperature: fitTemperature(heldOut, uniformShare), uniformShare }
    const { logLoss, accuracy } = evaluate(heldOut, calibration)
    if (best.logLoss !== null && logLoss >= best.logLoss * (1 - gainMin)) continue
    const doubts = doubtsOf(heldOut, rows, matrix.rowCount, calibration)
    best = { strength: strengths[s] as number, calibration, logLoss, accuracy, doubts }
  }
  return best
}
