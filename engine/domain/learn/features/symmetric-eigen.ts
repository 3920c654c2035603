/**
 * Eigenvalues and eigenvectors of a small symmetric matrix by Jacobi's rotations (Golub, Van Loan, "Matrix
 * Computations", 8.5).
 *
 * Only sums, products, quotients and square roots, in a fixed order: the same on every machine.
 */

const sweepsMax = 30
/** Rotations end where the squares off the diagonal are this share of all squares. */
const offDiagonalMax = 1e-24

/**
 * The matrix is `size` by `size`; it is overwritten. Eigenvalues descend. The vectors, of length 1, follow each other
 * in the same order.
 */
export function eigen(
  matrix: Float64Array,
  size: number,
): { readonly values: Float64Array; readonly vectors: Float64Array } {
  const turned = new Float64Array(size * size)
  for (let i = 0; i < size; i++) turned[i * size + i] = 1
  const rotation: Rotation = { matrix, vectors: turned, size }
  let all = 0
  for (const x of matrix) all += x * x
  for (let sweep = 0; sweep < sweepsMax && offDiagonal(matrix, size) > offDiagonalMax * all; sweep++) {
    for (let p = 0; p < size - 1; p++) for (let q = p + 1; q < size; q++) rotate(rotation, p, q)
  }
  const order = Array.from({ length: size }, (_, i) => i).sort(
    (a, b) => (matrix[b * size + b] as number) - (matrix[a * size + a] as number) || a - b,
  )
  const vectors = new Float64Array(size * size)
  order.forEach((from, to) => vectors.set(turned.subarray(from * size, (from + 1) * size), to * size))
  return { values: Float64Array.from(order, (i) => matrix[i * size + i] as number), vectors }
}

function offDiagonal(matrix: Float64Array, size: number): number {
  let sum = 0
  for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) sum += 2 * (matrix[p * size + q] as number) ** 2
  return sum
}

/** What is rotated: the matrix, and the vectors so far, one after the other. */
interface Rotation {
  readonly matrix: Float64Array
  readonly vectors: Float64Array
  readonly size: number
}

/** Makes the number at (p, q) 0. */
function rotate({ matrix, vectors, size }: Rotation, p: number, q: number): void {
  const off = matrix[p * size + q] as number
  if (off === 0) return
  const theta = ((matrix[q * size + q] as number) - (matrix[p * size + p] as number)) / (2 * off)
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const cosine = 1 / Math.sqrt(tangent * tangent + 1)
  const sine = tangent * cosine
  for (let i = 0; i < size; i++) {
    const a = matrix[i * size + p] as number
    const b = matrix[i * size + q] as number
    matrix[i * size + p] = cosine * a - sine * b
    matrix[i * size + q] = sine * a + cosine * b
  }
  for (let i = 0; i < size; i++) {
    const a = matrix[p * size + i] as number
    const b = matrix[q * size + i] as number
    matrix[p * size + i] = cosine * a - sine * b
    matrix[q * size + i] = sine * a + cosine * b
  }
  for (let i = 0; i < size; i++) {
    const a = vectors[p * size + i] as number
    const b = vectors[q * size + i] as number
    vectors[p * size + i] = cosine * a - sine * b
    vectors[q * size + i] = sine * a + cosine * b
  }
}
