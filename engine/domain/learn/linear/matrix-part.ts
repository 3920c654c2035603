/**
 * The part of a matrix that a fit depends on: the rows that have a weight, and the features of these rows.
 *
 * Rows and features keep their order, so sums have the same terms in the same order, but for zeros.
 */
import type { ExampleMatrix } from '../features/example-matrix.js'

/** A part of at least this share of the entries is not worth a copy. */
const shareMax = 0.8

/** The rows, and the weights to fit. */
export interface LogisticFit {
  readonly matrix: ExampleMatrix
  /** Rows with 0 do not count. */
  readonly rowWeights: Float64Array
  /** The start, and the result. */
  readonly weights: Float64Array
}

export interface MatrixPart {
  readonly matrix: ExampleMatrix
  readonly rowWeights: Float64Array
  /** Those numbers that the part needs of `width` for each feature and further ones, which are the last. */
  take(all: Float64Array, width: number): Float64Array
  /** The other way round. */
  put(some: Float64Array, into: Float64Array, width: number): void
}

/** By feature: 1 where a row with a weight has it, or it begins with a weight of its own. */
function featuresOf({ matrix, rowWeights, weights }: LogisticFit): { has: Uint8Array; entries: number; rows: number } {
  const { starts, features, featureCount, rowCount, labels } = matrix
  const has = new Uint8Array(featureCount)
  let entries = 0
  let rows = 0
  for (let row = 0; row < rowCount; row++) {
    if (rowWeights[row] === 0) continue
    const end = starts[row + 1] as number
    for (let j = starts[row] as number; j < end; j++) has[features[j] as number] = 1
    entries += end - (starts[row] as number)
    rows++
  }
  for (let i = 0; i < featureCount * labels.length; i++) if (weights[i] !== 0) has[Math.floor(i / labels.length)] = 1
  return { has, entries, rows }
}

/** The part of the matrix, or null where that is nearly all of it. */
export function partOf(fit: LogisticFit): MatrixPart | null {
  const { matrix, rowWeights } = fit
  const { has, entries, rows } = featuresOf(fit)
  if (entries >= shareMax * matrix.features.length) return null
  const kept = Int32Array.from(has.keys()).filter((feature) => has[feature] === 1)
  const numbers = new Int32Array(matrix.featureCount)
  kept.forEach((feature, number) => {
    numbers[feature] = number
  })
  const part = {
    starts: new Int32Array(rows + 1),
    features: new Int32Array(entries),
    values: new Float32Array(entries),
  }
  const rowOf = new Int32Array(rows)
  let size = 0
  let next = 0
  for (let row = 0; row < matrix.rowCount; row++) {
    if (rowWeights[row] === 0) continue
    const end = matrix.starts[row + 1] as number
    for (let j = matrix.starts[row] as number; j < end; j++) {
      part.features[size] = numbers[matrix.features[j] as number] as number
      part.values[size++] = matrix.values[j] as number
    }
    rowOf[next++] = row
    part.starts[next] = size
  }
  const classes = Int32Array.from(rowOf, (row) => matrix.classes[row] as number)
  return {
    matrix: { ...matrix, ...part, rowCount: rows, featureCount: kept.length, classes },
    rowWeights: Float64Array.from(rowOf, (row) => rowWeights[row] as number),
    take(all, width) {
      const behind = all.length - matrix.featureCount * width
      const some = new Float64Array(kept.length * width + behind)
      kept.forEach((feature, number) => {
        for (let k = 0; k < width; k++) some[number * width + k] = all[feature * width + k] as number
      })
      some.set(all.subarray(all.length - behind), some.length - behind)
      return some
    },
    put(some, into, width) {
      const behind = into.length - matrix.featureCount * width
      kept.forEach((feature, number) => {
        for (let k = 0; k < width; k++) into[feature * width + k] = some[number * width + k] as number
      })
      into.set(some.subarray(some.length - behind), into.length - behind)
    },
  }
}
