/**
 * The inner loops of the regression: the scores of a row, and its part of the gradient.
 *
 * Two and three classes, the usual numbers, have loops of their own, without a loop over classes inside: a third of the
 * time. Each sum has the same terms in the same order.
 */
import type { ExampleMatrix } from '../features/example-matrix.js'

/** Fills `scores` with W x + b of one row. */
export function scoreRow(matrix: ExampleMatrix, row: number, weights: Float64Array, scores: Float64Array): void {
  if (scores.length === 2) return scoreTwo(matrix, row, weights, scores)
  if (scores.length === 3) return scoreThree(matrix, row, weights, scores)
  const { starts, features, values } = matrix
  const classCount = scores.length
  const intercepts = matrix.featureCount * classCount
  const end = starts[row + 1] as number
  for (let k = 0; k < classCount; k++) scores[k] = weights[intercepts + k] as number
  for (let j = starts[row] as number; j < end; j++) {
    const at = (features[j] as number) * classCount
    const value = values[j] as number
    for (let k = 0; k < classCount; k++) scores[k] = (scores[k] as number) + value * (weights[at + k] as number)
  }
}

function scoreTwo(matrix: ExampleMatrix, row: number, weights: Float64Array, scores: Float64Array): void {
  const { starts, features, values } = matrix
  const intercepts = matrix.featureCount * 2
  const end = starts[row + 1] as number
  let first = weights[intercepts] as number
  let second = weights[intercepts + 1] as number
  for (let j = starts[row] as number; j < end; j++) {
    const at = (features[j] as number) * 2
    const value = values[j] as number
    first += value * (weights[at] as number)
    second += value * (weights[at + 1] as number)
  }
  scores[0] = first
  scores[1] = second
}

function scoreThree(matrix: ExampleMatrix, row: number, weights: Float64Array, scores: Float64Array): void {
  const { starts, features, values } = matrix
  const intercepts = matrix.featureCount * 3
  const end = starts[row + 1] as number
  let first = weights[intercepts] as number
  let second = weights[intercepts + 1] as number
  let third = weights[intercepts + 2] as number
  for (let j = starts[row] as number; j < end; j++) {
    const at = (features[j] as number) * 3
    const value = values[j] as number
    first += value * (weights[at] as number)
    second += value * (weights[at + 1] as number)
    third += value * (weights[at + 2] as number)
  }
  scores[0] = first
  scores[1] = second
  scores[2] = third
}

/** Adds the residuals of a row, times its values, to the gradient. */
export function addRow(matrix: ExampleMatrix, row: number, residuals: Float64Array, gradient: Float64Array): void {
  const classCount = residuals.length
  const intercepts = matrix.featureCount * classCount
  for (let k = 0; k < classCount; k++) {
    gradient[intercepts + k] = (gradient[intercepts + k] as number) + (residuals[k] as number)
  }
  if (classCount === 2) return addTwo(matrix, row, residuals, gradient)
  if (classCount === 3) return addThree(matrix, row, residuals, gradient)
  const { starts, features, values } = matrix
  const end = starts[row + 1] as number
  for (let j = starts[row] as number; j < end; j++) {
    const at = (features[j] as number) * classCount
    const value = values[j] as number
    for (let k = 0; k < classCount; k++) {
      gradient[at + k] = (gradient[at + k] as number) + value * (residuals[k] as number)
    }
  }
}

function addTwo(matrix: ExampleMatrix, row: number, residuals: Float64Array, gradient: Float64Array): void {
  const { starts, features, values } = matrix
  const end = starts[row + 1] as number
  const first = residuals[0] as number
  const second = residuals[1] as number
  for (let j = starts[row] as number; j < end; j++) {
    const at = (features[j] as number) * 2
    const value = values[j] as number
    gradient[at] = (gradient[at] as number) + value * first
    gradient[at + 1] = (gradient[at + 1] as number) + value * second
  }
}

function addThree(matrix: ExampleMatrix, row: number, residuals: Float64Array, gradient: Float64Array): void {
  const { starts, features, values } = matrix
  const end = starts[row + 1] as number
  const first = residuals[0] as number
  const second = residuals[1] as number
  const third = residuals[2] as number
  for (let j = starts[row] as number; j < end; j++) {
    const at = (features[j] as number) * 3
    const value = values[j] as number
    gradient[at] = (gradient[at] as number) + value * first
    gradient[at + 1] = (gradient[at + 1] as number) + value * second
    gradient[at + 2] = (gradient[at + 2] as number) + value * third
  }
}
