/**
 * The leading right singular vectors of a sparse matrix: the directions in which its rows differ most.
 *
 * A randomised range finder with power iterations (Halko, Martinsson, Tropp, "Finding structure with randomness",
 * 2011). It only takes sums, products and square roots, in a fixed order, with a fixed random sequence: the same rows
 * give the same bytes on every machine.
 */
import type { Stage } from '../progress.js'
import { Sfc32 } from '../sfc32.js'
import { eigen } from './symmetric-eigen.js'

export interface SparseRows {
  readonly columnCount: number
  /** Row r has its entries from starts[r] to starts[r + 1]. */
  readonly starts: Int32Array
  readonly columns: Int32Array
  readonly values: Float32Array
}

/** Extra directions, which make the wanted ones accurate. */
const spare = 8
const powerRounds = 3
/** Eigenvalues below this share of the largest are rounding errors. */
const eigenvalueMin = 1e-10
const purpose = 0x5fd1

/** Fills `into` with matrix times `basis`, row by row; the basis has `width` numbers for each column of the matrix. */
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

/** Fills `into` with the transposed matrix times `rows`, column by column. */
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

/** The Gram matrix of `width` vectors whose numbers are interleaved. */
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

/** `width` interleaved vectors times a matrix of `width` rows and `kept` columns, stored by column. */
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

/** An orthonormal basis of the same space, interleaved; smaller where vectors depend on each other. */
function orthonormal(vectors: Float64Array, width: number): { readonly vectors: Float64Array; readonly width: number } {
  const { values, vectors: turned } = eigen(gram(vectors, width), width)
  const kept = values.filter((value) => value > eigenvalueMin * (values[0] as number)).length
  for (let k = 0; k < kept; k++) {
    const scale = 1 / Math.sqrt(values[k] as number)
    for (let a = 0; a < width; a++) turned[k * width + a] = (turned[k * width + a] as number) * scale
  }
  return { vectors: rotate(vectors, width, turned, kept), width: kept }
}

/** At most `count` leading right singular vectors, interleaved; the first has the largest singular value. */
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
