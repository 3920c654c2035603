/** A training set coded as a training codes it. */
import type { TrainingSet } from '../../engine/learn/classifier.js'
import { chooseEncoder } from '../../engine/learn/encoder-choice.js'
import { buildMatrix } from '../../engine/learn/example-matrix.js'
import { chooseFactors } from '../../engine/learn/factor-choice.js'
import { FeatureTable } from '../../engine/learn/feature-table.js'
import type { FeatureEncoder } from '../../engine/learn/features.js'
import { buildLearningTable, type LearningTable } from '../../engine/learn/learning-table.js'
import { ProgressReport } from '../../engine/learn/progress.js'
import { countFeatures, limitFeatures } from '../../engine/learn/vocabulary.js'

export const wholeStage = new ProgressReport(() => true).stage(0, 1, '')

/** `featureCount` counts the features of the background too. */
export function codeSet(set: TrainingSet): { table: LearningTable; encoder: FeatureEncoder; featureCount: number } {
  const { examples, background } = set
  const labelled = examples.map(({ values }) => values)
  const encoder = chooseEncoder(set, [...labelled, ...background], wholeStage)
  const features = new FeatureTable()
  const all = buildMatrix(examples, encoder, features, wholeStage)
  const counts = countFeatures(all, background, encoder, features, wholeStage)
  const vocabulary = limitFeatures({ matrix: all, hashes: features.hashes(), counts }, wholeStage)
  const factors = chooseFactors(labelled, background, encoder.profiles, wholeStage)
  const table = buildLearningTable(examples, background, vocabulary, encoder, factors, wholeStage)
  return { table, encoder, featureCount: vocabulary.hashes.length }
}
