/**
 * The directions in which sparse rows differ most: the leading right singular vectors of a matrix.
 *
 * By a randomised range finder with power iterations (Halko, Martinsson, Tropp, "Finding structure with randomness", 2011). Only
 * sums, products and square roots are taken, in a fixed order, and chance is a fixed sequence: the same rows give the same bytes on
 * every machine.
 */
import { Sfc32 } from '../sfc32.js'
import type { Stage } from '../progress.js'
import { eigen } from './symmetric-eigen.js'

export interface SparseRows {
  readonly columnCount: number
  /** Row r has its entries from starts[r] to starts[r + 1]. */
  readonly starts: Int32Array
  readonly columns: Int32Array
  readonly values: Float32Array
}

/** Directions beyond those that are wanted: they make these exact. */
const spare = 8
const powerRounds = 3
/** What is less than this share of the most is rounding. */
const nothing = 1e-10
const purpose = 0x5fd1

/** Fills `into`, row by row, with the rows' products with `basis`, which has `width` numbers a column of the matrix. */
function multiply(
  { starts, columns, values }: SparseRows,
  basis: Float64Array,
  width: number,
  into: Float64Array,
): void {
  into.fill(0)
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let j = starts[row] as number; j < (starts[row + 1] as number); j++) {
      const value = values[j] as number
      const from = (columns[j] as number) * width
      for (let k = 0; k < width; k++)
        into[row * width + k] = (into[row * width + k] as number) + value * (basis[from + k] as number)
    }
  }
}

/** Fills `into`, column by column, with the products of the transposed matrix with `rows`. */
function multiplyBack(
  { starts, columns, values }: SparseRows,
  rows: Float64Array,
  width: number,
  into: Float64Array,
): void {
  into.fill(0)
  for (let row = 0; row + 1 < starts.length; row++) {
    for (let j = starts[row] as number; j < (starts[row + 1] as number); j++) {
      const value = values[j] as number
      const to = (columns[j] as number) * width
      for (let k = 0; k < width; k++)
        into[to + k] = (into[to + k] as number) + value * (rows[row * width + k] as number)
    }
  }
}

/** All products of two of the `width` vectors whose numbers lie side by side. */
function gram(vectors: Float64Array, width: number): Float64Array {
  const products = new Float64Array(width * width)
  for (let at = 0; at < vectors.length; at += width) {
    for (let a = 0; a < width; a++) {
      const one = vectors[at + a] as number
      if (one === 0) continue
      for (let b = a; b < width; b++)
        products[a * width + b] = (products[a * width + b] as number) + one * (vectors[at + b] as number)
    }
  }
  for (let a = 0; a < width; a++)
    for (let b = 0; b < a; b++) products[a * width + b] = products[b * width + a] as number
  return products
}

/** `vectors`, `width` side by side, times a matrix of `width` rows and `kept` columns that lie column by column. */
function rotate(vectors: Float64Array, width: number, by: Float64Array, kept: number): Float64Array {
  const rotated = new Float64Array((vectors.length / width) * kept)
  for (let at = 0, to = 0; at < vectors.length; at += width, to += kept) {
    for (let k = 0; k < kept; k++) {
      let sum = 0
      for (let a = 0; a < width; a++) sum += (vectors[at + a] as number) * (by[k * width + a] as number)
      rotated[to + k] = sum
    }
  }
  return rotated
}

/** Vectors at right angles and of length 1 that span the same, side by side; fewer where some depended on others. */
function orthonormal(vectors: Float64Array, width: number): { readonly vectors: Float64Array; readonly width: number } {
  const { values, vectors: turned } = eigen(gram(vectors, width), width)
  const kept = values.filter((value) => value > nothing * (values[0] as number)).length
  for (let k = 0; k < kept; k++) {
    const scale = 1 / Math.sqrt(values[k] as number)
    for (let a = 0; a < width; a++) turned[k * width + a] = (turned[k * width + a] as number) * scale
  }
  return { vectors: rotate(vectors, width, turned, kept), width: kept }
}

/** The leading `count` right singular vectors or fewer, a column's numbers side by side; the first has the largest singular value. */
export function rightSingularVectors(
  matrix: SparseRows,
  count: number,
  stage: Stage,
): { readonly vectors: Float64Array; readonly count: number } {
  const rowCount = matrix.starts.length - 1
  const random = new Sfc32(purpose, count)
  const start = Math.min(count + spare, matrix.columnCount, rowCount)
  let basis: { readonly vectors: Float64Array; readonly width: number } = {
    vectors: Float64Array.from({ length: matrix.columnCount * start }, () => (random.below(2) === 0 ? -1 : 1)),
    width: start,
  }
  for (let round = 0; round <= powerRounds; round++) {
    stage.at(round / (powerRounds + 2))
    const { width } = basis
    const rows = new Float64Array(rowCount * width)
    multiply(matrix, basis.vectors, width, rows)
    const back = new Float64Array(matrix.columnCount * width)
    multiplyBack(matrix, rows, width, back)
    basis = orthonormal(back, width)
  }
  stage.at((powerRounds + 1) / (powerRounds + 2))
  const { width } = basis
  const rows = new Float64Array(rowCount * width)
  multiply(matrix, basis.vectors, width, rows)
  const kept = Math.min(count, width)
  return { vectors: rotate(basis.vectors, width, eigen(gram(rows, width), width).vectors, kept), count: kept }
}
