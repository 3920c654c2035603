/**
 * How much of the stream each labelled event stands for, where labels were not picked as the stream comes.
 *
 * Analysts label the largest buckets first, or what worries them: the labels are not a fair draw, and a model that
 * trusted their shares would be wrong about the stream. What the stream looks like is known without labels. A logistic
 * regression tells labelled events from events of the stream; the odds that it gives are the weights (importance
 * weighting under covariate shift: Bickel, Brückner, Scheffer, "Discriminative learning under covariate shift", 2009).
 * Where the labels are a fair draw it finds nothing, and all weights are near 1. An event is weighed by a regression that
 * has not seen it: else what it alone has would give it away as labelled, the more so the rarer it is.
 */
import type { PointValues } from './classifier.js'
import type { EventCoder } from './event-coder.js'
import type { ExampleMatrix } from './example-matrix.js'
import { fitLogistic, scoreRow } from './logistic.js'
import { part, type Stage } from './progress.js'

/** Events of the stream that are looked at, and labelled events. */
const streamRowsMax = 2_000
const labelledRowsMax = 20_000
const strength = 1
const iterationsMax = 25
/** Up to so many rows there are three folds, above two. */
const threeFoldsMax = 1_000
/** No event stands for more than so many times the mean, or less than one in so many. */
const ratioMax = 20

/** Takes the features of each event, every feature that the coder knows. */
function streamRows(stream: readonly PointValues[], coder: EventCoder): { starts: number[]; features: number[]; values: number[] } {
  const starts = [0]
  const features: number[] = []
  const values: number[] = []
  for (const event of stream) {
    coder.code(event)
    for (let j = 0; j < coder.count; j++) {
      features.push(coder.features[j] as number)
      values.push(coder.values[j] as number)
    }
    starts.push(features.length)
  }
  return { starts, features, values }
}

/**
 * A weight for each row of the matrix, of mean 1 under `rowWeights`; `featureCount` counts those of the stream alone too.
 */
export function weighByStream(
  matrix: ExampleMatrix,
  rowWeights: Float64Array,
  background: readonly PointValues[],
  coder: EventCoder,
  featureCount: number,
  stage: Stage,
): Float64Array {
  const weights = new Float64Array(matrix.rowCount).fill(1)
  if (background.length < streamRowsMin || matrix.rowCount > labelledRowsMax) return weights
  const step = Math.ceil(background.length / streamRowsMax)
  const stream = streamRows(background.filter((_, i) => i % step === 0), coder)
  const streamCount = stream.starts.length - 1
  const size = matrix.features.length
  let mass = 0
  for (const weight of rowWeights) mass += weight
  const both: ExampleMatrix = {
    rowCount: matrix.rowCount + streamCount,
    featureCount,
    labels: Int32Array.from([0, 1]),
    starts: Int32Array.from([...matrix.starts, ...stream.starts.slice(1).map((start) => start + size)]),
    features: concat(Int32Array, matrix.features, stream.features),
    values: concat(Float32Array, matrix.values, stream.values),
    classes: Int32Array.from({ length: matrix.rowCount + streamCount }, (_, row) => (row < matrix.rowCount ? 0 : 1)),
    weights: new Float64Array(0),
    rowOf: new Int32Array(0),
  }
  const counts = new Float64Array(both.rowCount).fill(mass / streamCount)
  counts.set(rowWeights)
  const model = new Float64Array((featureCount + 1) * 2)
  const scores = new Float64Array(2)
  let total = 0
  const foldCount = matrix.rowCount <= threeFoldsMax ? 3 : 2
  for (let fold = 0; fold < foldCount; fold++) {
    // The rows of a fold are left out with their mass; each is told from the stream by what the others have.
    const fitted = counts.map((count, row) => (row < matrix.rowCount && row % foldCount === fold ? 0 : count))
    fitLogistic(both, fitted, model, { strength, iterationsMax }, part(stage, fold / foldCount, (fold + 1) / foldCount))
    for (let row = fold; row < matrix.rowCount; row += foldCount) {
      scoreRow(both, row, model, scores)
      const odds = Math.exp((scores[1] as number) - (scores[0] as number))
      weights[row] = Math.min(ratioMax, Math.max(1 / ratioMax, odds))
      total += (rowWeights[row] as number) * (weights[row] as number)
    }
  }
  for (let row = 0; row < matrix.rowCount; row++) weights[row] = ((weights[row] as number) * mass) / total
  return weights
}

const streamRowsMin = 50

function concat<T extends Int32Array | Float32Array>(make: new (length: number) => T, first: T, second: readonly number[]): T {
  const all = new make(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
