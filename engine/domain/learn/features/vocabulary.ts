/**
 * The features that a training keeps, and how often each was seen.
 *
 * 1. Features of the examples come first, in the order of their first occurrence. Those of the background alone follow;
 *    they have no weight in a model.
 */
import { grown } from '../../event/grown.js'
import type { PointValues } from '../classifier.js'
import type { Stage } from '../progress.js'
import { renumberFeatures, rowsPerReport, type ExampleMatrix } from './example-matrix.js'
import type { FeatureTable } from './feature-table.js'
import type { FeatureEncoder } from './features.js'

/** The most features that a model keeps; the rarest are dropped. */
const featuresMax = 1 << 16

/** The features of a training and how often each was seen. */
export interface Vocabulary {
  readonly matrix: ExampleMatrix
  readonly hashes: Int32Array
  /** Examples or background events with the feature, whichever are more: they may be the same events. */
  readonly counts: Int32Array
}

/** Counts the features of the examples and of the background; adds new ones to the table. */
export function countFeatures(
  matrix: ExampleMatrix,
  background: readonly PointValues[],
  { encoder, table }: { readonly encoder: FeatureEncoder; readonly table: FeatureTable },
  stage: Stage,
): Int32Array {
  const times = new Int32Array(matrix.rowCount)
  for (const row of matrix.rowOf) times[row] = (times[row] as number) + 1
  let inBackground = new Int32Array(table.size)
  for (let i = 0; i < background.length; i++) {
    if (i % rowsPerReport === 0) stage.at((0.5 * i) / background.length)
    encoder.encode(background[i] as PointValues)
    for (let j = 0; j < encoder.count; j++) {
      const feature = table.add(encoder.hashes[j] as number)
      if (feature >= inBackground.length) inBackground = grown(inBackground, new Int32Array(2 * feature + 1))
      inBackground[feature] = (inBackground[feature] as number) + 1
    }
  }
  const counts = new Int32Array(table.size)
  for (let row = 0; row < matrix.rowCount; row++) {
    if (row % rowsPerReport === 0) stage.at(0.5 + (0.5 * row) / matrix.rowCount)
    for (let j = matrix.starts[row] as number; j < (matrix.starts[row + 1] as number); j++) {
      const feature = matrix.features[j] as number
      counts[feature] = (counts[feature] as number) + (times[row] as number)
    }
  }
  for (let feature = 0; feature < counts.length; feature++)
    counts[feature] = Math.max(counts[feature] as number, inBackground[feature] ?? 0)
  return counts
}

/** Keeps at most `featuresMax` features, the most frequent ones, in their order. */
export function limitFeatures(vocabulary: Vocabulary, stage: Stage): Vocabulary {
  const { matrix, hashes, counts } = vocabulary
  if (hashes.length <= featuresMax) return vocabulary
  const least = (counts.slice().sort()[hashes.length - featuresMax] as number) + 1
  const numbers = new Int32Array(hashes.length).fill(-1)
  let weighted = 0
  let kept = 0
  for (let feature = 0; feature < hashes.length; feature++) {
    if ((counts[feature] as number) < least) continue
    numbers[feature] = kept++
    if (feature < matrix.featureCount) weighted = kept
  }
  return {
    matrix: renumberFeatures(matrix, numbers, weighted, stage),
    hashes: hashes.filter((_, feature) => (numbers[feature] as number) >= 0),
    counts: counts.filter((_, feature) => (numbers[feature] as number) >= 0),
  }
}
