/**
 * Multinomial logistic regression over sparse rows.
 *
 * Minimises  sum_i w_i ln(1 / p(y_i | x_i)) + (strength / 2) |W|^2  with p = softmax(W x + b). There is no penalty on
 * b, and less on some features. Weights are stored by feature, the classes of one feature together; the last
 * `classCount` numbers are b.
 */
import { rowsPerReport, type ExampleMatrix } from '../features/example-matrix.js'
import type { Stage } from '../progress.js'
import { minimise, type MinimisedFunction } from './lbfgs.js'
import { partOf, type LogisticFit } from './matrix-part.js'
import { addRow, scoreRow } from './row-loops.js'

export interface LogisticOptions {
  /** The L2 penalty, above 0. */
  readonly strength: number
  readonly iterationsMax: number
  /** Features that get only this share of the penalty. */
  readonly eased?: { readonly features: Int32Array; readonly share: number }
}

const tolerance = 1e-5

/** Turns scores into probabilities, in place; returns the logarithm of the sum of their exponentials. */
export function softmax(scores: Float64Array): number {
  let top = -Infinity
  for (const score of scores) if (score > top) top = score
  let sum = 0
  for (let k = 0; k < scores.length; k++) {
    const e = Math.exp((scores[k] as number) - top)
    scores[k] = e
    sum += e
  }
  for (let k = 0; k < scores.length; k++) scores[k] = (scores[k] as number) / sum
  return top + Math.log(sum)
}

/** An estimate of the second derivative of the objective for each weight. */
function curvatureOf(
  matrix: ExampleMatrix,
  rowWeights: Float64Array,
  penalties: Float64Array,
  stage: Stage,
): Float64Array {
  const classCount = matrix.labels.length
  const shares = new Float64Array(classCount)
  let total = 0
  for (let row = 0; row < matrix.rowCount; row++) {
    const weight = rowWeights[row] as number
    shares[matrix.classes[row] as number] = (shares[matrix.classes[row] as number] as number) + weight
    total += weight
  }
  for (let k = 0; k < classCount; k++) {
    const share = ((shares[k] as number) + 1) / (total + classCount)
    shares[k] = share * (1 - share)
  }
  const mass = new Float64Array(matrix.featureCount)
  for (let row = 0; row < matrix.rowCount; row++) {
    if (row % rowsPerReport === 0) stage.at(0)
    const weight = rowWeights[row] as number
    if (weight === 0) continue
    for (let j = matrix.starts[row] as number; j < (matrix.starts[row + 1] as number); j++) {
      const feature = matrix.features[j] as number
      mass[feature] = (mass[feature] as number) + weight * (matrix.values[j] as number) ** 2
    }
  }
  const curvature = new Float64Array((matrix.featureCount + 1) * classCount)
  for (let feature = 0; feature <= matrix.featureCount; feature++) {
    const bent = feature === matrix.featureCount ? total : (mass[feature] as number)
    for (let k = 0; k < classCount; k++)
      curvature[feature * classCount + k] = (penalties[feature] as number) + bent * (shares[k] as number)
  }
  return curvature
}

/** The penalty of each feature. That of the intercepts, the last one, only limits the step. */
function penaltiesOf(featureCount: number, { strength, eased }: LogisticOptions): Float64Array {
  const penalties = new Float64Array(featureCount + 1).fill(strength)
  for (const feature of eased?.features ?? []) penalties[feature] = strength * (eased?.share ?? 1)
  return penalties
}

/**
 * Fits the weights to the rows of the matrix.
 *
 * Only features that these rows have take part: a weight of 0 without them stays 0. So a fit to some thousands of many
 * rows, as where examples are held out, takes as long as their number wants.
 */
export function fitLogistic(fit: LogisticFit, options: LogisticOptions, stage: Stage): void {
  const part = partOf(fit)
  if (part === null) return fitAll(fit, penaltiesOf(fit.matrix.featureCount, options), options, stage)
  const classCount = fit.matrix.labels.length
  const penalties = penaltiesOf(fit.matrix.featureCount, options)
  const weights = part.take(fit.weights, classCount)
  const inPart = { matrix: part.matrix, rowWeights: part.rowWeights, weights }
  fitAll(inPart, part.take(penalties, 1), options, stage)
  part.put(weights, fit.weights, classCount)
}

function fitAll(
  { matrix, rowWeights, weights }: LogisticFit,
  penalties: Float64Array,
  options: LogisticOptions,
  stage: Stage,
): void {
  const classCount = matrix.labels.length
  const scores = new Float64Array(classCount)
  let iteration = 0
  const objective: MinimisedFunction = (x, gradient) => {
    gradient.fill(0)
    let loss = 0
    for (let row = 0; row < matrix.rowCount; row++) {
      if (row % rowsPerReport === 0) stage.at((iteration + row / matrix.rowCount) / (options.iterationsMax + 1))
      const weight = rowWeights[row] as number
      if (weight === 0) continue
      const label = matrix.classes[row] as number
      scoreRow(matrix, row, x, scores)
      const truth = scores[label] as number
      loss += weight * (softmax(scores) - truth)
      scores[label] = (scores[label] as number) - 1
      for (let k = 0; k < classCount; k++) scores[k] = (scores[k] as number) * weight
      addRow(matrix, row, scores, gradient)
    }
    for (let feature = 0, i = 0; feature < matrix.featureCount; feature++) {
      const penalty = penalties[feature] as number
      for (const end = i + classCount; i < end; i++) {
        const w = x[i] as number
        loss += 0.5 * penalty * w * w
        gradient[i] = (gradient[i] as number) + penalty * w
      }
    }
    return loss
  }
  minimise(objective, weights, {
    iterationsMax: options.iterationsMax,
    tolerance,
    curvature: curvatureOf(matrix, rowWeights, penalties, stage),
    onIteration: (done) => {
      iteration = done
    },
  })
  stage.at(1)
}
