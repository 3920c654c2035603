/**
 * The classifier `hashed-logistic/1`: logistic regression over hashed features, calibrated on held-out examples.
 *
 * Owns: the order of a training. Leaves out: each step (the files imported below), the bytes (hashed-model.ts).
 */
import { assert } from '../assert.js'
import type { Classifier, Example, Model, PointValues, TrainingProgress, TrainingSet } from './classifier.js'
import { evenly } from './evenly.js'
import { buildMatrix, rowsPerLook, type ExampleMatrix } from './example-matrix.js'
import { FeatureEncoder } from './features.js'
import { FeatureTable } from './feature-table.js'
import { HashedModel, hashedLogisticKind, readModel, writeModel, type ModelParts } from './hashed-model.js'
import { chooseEncoder } from './encoder-choice.js'
import { fitLogistic } from './logistic.js'
import { chooseModel, type ModelChoice } from './model-choice.js'
import { OutlierScale, rarityLevel, rarityLevels, SurpriseTable, type OutlierSignals } from './outlier.js'
import { ProgressReport, type Stage } from './progress.js'
import { countFeatures, limitFeatures, type Vocabulary } from './vocabulary.js'

/** Iterations of a fit: as many as go over so many numbers of its matrix, within bounds. */
const iterationsMax = 100
const iterationsMin = 30
const fittingWork = 150e6
/** Known events that an outlier's score is set against, of the examples and of the background each. */
const referenceMax = 5_000

/** A large matrix has a bend in more directions than matter: fewer iterations are as good. */
function iterationsFor(matrix: ExampleMatrix): number {
  return Math.min(iterationsMax, Math.max(iterationsMin, Math.round(fittingWork / matrix.features.length)))
}

/** The parts of a model that say how rare things are, from known events each scored as if it had not been seen. */
function fitOutlier(
  set: TrainingSet,
  parts: Omit<ModelParts, 'levels' | 'surprises' | 'scale'>,
  vocabulary: Vocabulary,
  choice: ModelChoice,
  stage: Stage,
): ModelParts {
  const { matrix, counts } = vocabulary
  const pointCount = set.points.length
  const without = Uint8Array.from(counts, (count) => rarityLevel(count - 1))
  const numbers = evenly(Array.from(set.examples.keys()), referenceMax)
  const known = [...numbers.map((i) => (set.examples[i] as Example).values), ...evenly(set.background, referenceMax)]
  const doubts = numbers.map((i) => choice.doubts[matrix.rowOf[i] as number] as number)
  const encoder = new FeatureEncoder(set.points, parts.profiles, parts.pairs, false)
  const table = new FeatureTable(vocabulary.hashes.length)
  for (const hash of vocabulary.hashes) table.add(hash)
  const seen = new Float64Array(pointCount * rarityLevels)
  for (const values of known) {
    encoder.encode(values)
    for (let point = 0; point < pointCount; point++) {
      const at = encoder.atomAt[point] as number
      const feature = at < 0 ? -1 : table.find(encoder.hashes[at] as number)
      const level = at < 0 ? rarityLevels - 1 : feature < 0 ? 0 : (without[feature] as number)
      seen[point * rarityLevels + level] = (seen[point * rarityLevels + level] as number) + 1
    }
  }
  const surprises = SurpriseTable.of(pointCount, seen)
  const scale = OutlierScale.of([{ doubt: 0, surprise: 0, unknown: 0 }])
  const judge = new HashedModel({ ...parts, levels: without, surprises, scale })
  const signals: OutlierSignals[] = []
  for (let i = 0; i < known.length; i++) {
    if (i % rowsPerLook === 0) stage.at(i / known.length)
    const measured = judge.signals(known[i] as PointValues)
    const doubt = doubts[i]
    signals.push(doubt === undefined || Number.isNaN(doubt) ? measured : { ...measured, doubt })
  }
  return { ...parts, levels: Uint8Array.from(counts, rarityLevel), surprises, scale: OutlierScale.of(signals) }
}

function train(set: TrainingSet, progress: TrainingProgress): Uint8Array {
  assert(set.examples.length > 0, 'a training has examples')
  const report = new ProgressReport(progress)
  const known = [...set.examples.map((example) => example.values), ...set.background]
  const encoder = chooseEncoder(set, known, report.stage(0, 0.08, 'Looking for telling values'), false)
  const table = new FeatureTable()
  const all = buildMatrix(set.examples, encoder, table, report.stage(0.08, 0.15, 'Reading the examples'))
  const counts = countFeatures(all, set.background, encoder, table, report.stage(0.15, 0.17, 'Counting values'))
  const found = { matrix: all, hashes: table.hashes(), counts }
  const vocabulary = limitFeatures(found, report.stage(0.17, 0.18, 'Leaving out the rarest'))
  const { matrix } = vocabulary
  const exampleWeights = Float64Array.from(set.examples, (example) => example.weight)
  const comparing = report.stage(0.18, 0.6, 'Comparing on held-out examples')
  const choice = chooseModel(matrix, exampleWeights, set.seed, comparing)
  const classCount = matrix.labels.length
  const weights = new Float64Array((matrix.featureCount + 1) * classCount)
  const fitting = report.stage(0.6, 0.95, 'Fitting the model')
  const options = { strength: choice.strength, iterationsMax: iterationsFor(matrix) }
  fitLogistic(matrix, matrix.weights, weights, options, fitting)
  const parts = {
    labelCount: set.labelCount,
    points: set.points,
    profiles: encoder.profiles,
    pairs: encoder.pairs,
    labels: matrix.labels,
    features: vocabulary.hashes,
    weights: Float32Array.from(weights.subarray(0, matrix.featureCount * classCount)),
    intercepts: weights.slice(matrix.featureCount * classCount),
    calibration: choice.calibration,
    examples: set.examples.length,
    logLoss: choice.logLoss,
    accuracy: choice.accuracy,
  }
  const finished = fitOutlier(set, parts, vocabulary, choice, report.stage(0.95, 1, 'Measuring what is usual'))
  const bytes = writeModel(finished)
  report.stage(0, 1, 'Trained').at(1)
  return bytes
}

/** Good from two examples to hundreds of thousands; one decision takes a few microseconds. */
export const hashedLogistic: Classifier = {
  kind: hashedLogisticKind,
  train,
  load(bytes: Uint8Array): Model {
    return new HashedModel(readModel(bytes))
  },
}
