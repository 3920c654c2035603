/**
 * The examples of a training as a sparse matrix: a row of (feature, weight) for each distinct event and label.
 *
 * 1. Equal events with equal labels are one row, at the place of the first; its weight is their sum.
 * 2. Classes number the labels that have an example, from 0 (classifier.ts, invariant 2).
 */
import type { Example, PointValues } from '../classifier.js'
import { hashPair } from '../hash.js'
import type { Stage } from '../progress.js'
import type { FeatureTable } from './feature-table.js'
import type { FeatureEncoder } from './features.js'
import { Growing } from './growing.js'
import { firstsOf } from './shared-values.js'

export interface ExampleMatrix {
  readonly rowCount: number
  readonly featureCount: number
  /** The labels that have examples, ascending; a class is an index here. */
  readonly labels: Int32Array
  /** Row r has its entries from starts[r] to starts[r + 1]. */
  readonly starts: Int32Array
  readonly features: Int32Array
  readonly values: Float32Array
  readonly classes: Int32Array
  readonly weights: Float64Array
  /** The row of each example. */
  readonly rowOf: Int32Array
}

/** Rows between two progress reports, each of which may stop the training. */
export const rowsPerReport = 2_048

function labelsOf(examples: readonly Example[]): Int32Array {
  return Int32Array.from(new Set(examples.map((example) => example.label))).sort()
}

/** Encodes the examples; adds each new feature to the table. */
export function buildMatrix(
  examples: readonly Example[],
  encoder: FeatureEncoder,
  table: FeatureTable,
  stage: Stage,
): ExampleMatrix {
  const labels = labelsOf(examples)
  const classOf = new Map<number, number>(Array.from(labels, (label, index) => [label, index]))
  const features = new Growing((length) => new Int32Array(length))
  const values = new Growing((length) => new Float32Array(length))
  const starts = new Int32Array(examples.length + 1)
  const classes = new Int32Array(examples.length)
  const weights = new Float64Array(examples.length)
  const rowOf = new Int32Array(examples.length)
  const rowsByHash = new Map<number, number>()
  const firsts = firstsOf(examples)
  /** By the first example of these values, and the class. */
  const rowsByValues = new Map<number, number>()
  let rows = 0
  for (let i = 0; i < examples.length; i++) {
    if (i % rowsPerReport === 0) stage.at(i / examples.length)
    const example = examples[i] as Example
    const label = classOf.get(example.label) as number
    const valuesKey = (firsts[i] as number) * labels.length + label
    const shared = rowsByValues.get(valuesKey)
    if (shared !== undefined) {
      weights[shared] = (weights[shared] as number) + example.weight
      rowOf[i] = shared
      continue
    }
    encoder.encode(example.values)
    const start = starts[rows] as number
    const end = start + encoder.count
    features.fit(end)
    values.fit(end)
    let low = label
    let high = 0
    for (let j = 0; j < encoder.count; j++) {
      const hash = encoder.hashes[j] as number
      const value = encoder.weights[j] as number
      features.array[start + j] = table.add(hash)
      values.array[start + j] = value
      const mixed = hashPair(hash, Math.round(value * 65_536))
      low = hashPair(low, mixed)
      high = (Math.imul(high, 31) + mixed) | 0
    }
    const key = (high & 0x1f_ffff) * 0x1_0000_0000 + (low >>> 0)
    const twin = rowsByHash.get(key)
    rowsByValues.set(valuesKey, twin ?? rows)
    if (twin !== undefined) {
      weights[twin] = (weights[twin] as number) + example.weight
      rowOf[i] = twin
      continue
    }
    rowsByHash.set(key, rows)
    classes[rows] = label
    weights[rows] = example.weight
    rowOf[i] = rows
    starts[++rows] = end
  }
  const size = starts[rows] as number
  return {
    rowCount: rows,
    featureCount: table.size,
    labels,
    starts: starts.slice(0, rows + 1),
    features: features.array.slice(0, size),
    values: values.array.slice(0, size),
    classes: classes.slice(0, rows),
    weights: weights.slice(0, rows),
    rowOf,
  }
}

/** The values of each row: those of its first example. */
export function* valuesOfRows(examples: readonly Example[], { rowOf }: ExampleMatrix): Generator<PointValues> {
  let next = 0
  for (let i = 0; i < examples.length; i++) {
    if (rowOf[i] !== next) continue
    next++
    yield (examples[i] as Example).values
  }
}

/** The matrix with new numbers of features, without those whose number is -1. */
export function renumberFeatures(
  matrix: ExampleMatrix,
  numbers: Int32Array,
  featureCount: number,
  stage: Stage,
): ExampleMatrix {
  const starts = new Int32Array(matrix.rowCount + 1)
  const features = new Int32Array(matrix.features.length)
  const values = new Float32Array(matrix.values.length)
  let size = 0
  for (let row = 0; row < matrix.rowCount; row++) {
    if (row % rowsPerReport === 0) stage.at(row / matrix.rowCount)
    for (let j = matrix.starts[row] as number; j < (matrix.starts[row + 1] as number); j++) {
      const number = numbers[matrix.features[j] as number] as number
      if (number < 0) continue
      features[size] = number
      values[size++] = matrix.values[j] as number
    }
    starts[row + 1] = size
  }
  return { ...matrix, featureCount, starts, features: features.slice(0, size), values: values.slice(0, size) }
}
