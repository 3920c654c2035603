/** A training set, coded as a training codes it. */
import type { TrainingSet } from '../../engine/domain/learn/classifier.js'
import { codeExamples } from '../../engine/domain/learn/pooled/coded-examples.js'
import type { FeatureEncoder } from '../../engine/domain/learn/features/features.js'
import type { LearningTable } from '../../engine/domain/learn/features/learning-table.js'
import { ProgressReport } from '../../engine/domain/learn/progress.js'

const report = new ProgressReport(() => true)

export const wholeStage = report.stage(0, 1, '')

/** `featureCount` includes the features of the background. */
export function codeSet(set: TrainingSet): { table: LearningTable; encoder: FeatureEncoder; featureCount: number } {
  const { table, encoder, vocabulary } = codeExamples(set, report)
  return { table, encoder, featureCount: vocabulary.hashes.length }
}
