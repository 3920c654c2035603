/** The coordinates of texts as the members read them: numbers of the linear member, and columns of the trees. */
import type { Example, PointValues } from '../classifier.js'
import type { ExampleMatrix } from './example-matrix.js'
import { edgesOf, FACTOR, type NumberColumn } from './number-columns.js'
import { FactorReader, type TextFactors } from './text-factors.js'

/** Trees see the first factors only: more would crowd out all other columns. */
const treeFactorsMax = 12

/** A column for each of the first factors, with bins between quantiles of `rows`. */
export function factorColumns(factors: TextFactors, rows: readonly PointValues[]): NumberColumn[] {
  if (factors.count === 0) return []
  const reader = new FactorReader(factors)
  const numbers = Array.from({ length: Math.min(factors.count, treeFactorsMax) }, (): number[] => [])
  for (const values of rows) {
    reader.read(values)
    numbers.forEach((list, factor) => list.push(reader.coordinates[factor] as number))
  }
  return numbers.map((list, factor) => ({ point: factor, what: FACTOR, edges: edgesOf(list).edges, exact: false }))
}

/** The matrix with one more feature for each factor, behind the others: the coordinates of each row's texts. */
export function withCoordinates(
  matrix: ExampleMatrix,
  examples: readonly Example[],
  factors: TextFactors,
): ExampleMatrix {
  const { count } = factors
  if (count === 0) return matrix
  const { rowCount, featureCount, rowOf } = matrix
  const reader = new FactorReader(factors)
  const starts = matrix.starts.map((start, row) => start + row * count)
  const features = new Int32Array(starts[rowCount] as number)
  const values = new Float32Array(features.length)
  const added = Int32Array.from({ length: count }, (_, factor) => featureCount + factor)
  let row = 0
  for (let i = 0; i < examples.length; i++) {
    if (rowOf[i] !== row) continue
    reader.read((examples[i] as Example).values)
    const start = matrix.starts[row] as number
    const end = matrix.starts[row + 1] as number
    const at = starts[row] as number
    features.set(matrix.features.subarray(start, end), at)
    values.set(matrix.values.subarray(start, end), at)
    features.set(added, at + end - start)
    values.set(reader.coordinates, at + end - start)
    row++
  }
  return { ...matrix, featureCount: featureCount + count, starts, features, values }
}
