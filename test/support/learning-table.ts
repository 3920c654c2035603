/** A training set coded as a training codes it. */
import type { TrainingSet } from '../../engine/learn/classifier.js'
import { codeExamples } from '../../engine/learn/coded-examples.js'
import type { FeatureEncoder } from '../../engine/learn/features.js'
import type { LearningTable } from '../../engine/learn/learning-table.js'
import { ProgressReport } from '../../engine/learn/progress.js'

const report = new ProgressReport(() => true)

export const wholeStage = report.stage(0, 1, '')

/** `featureCount` counts the features of the background too. */
export function codeSet(set: TrainingSet): { table: LearningTable; encoder: FeatureEncoder; featureCount: number } {
  const { table, encoder, vocabulary } = codeExamples(set, report)
  return { table, encoder, featureCount: vocabulary.hashes.length }
}
