/**
 * How sure a model may be: a temperature found on held-out events, and a share for what few labels cannot know.
 *
 * p = (1 - u) softmax(scores / T) + u / K, T at least 1 (Guo et al., "On Calibration of Modern Neural Networks", 2017,
 * never sharpening), u = 0.3 K / (N + K) with N examples and K labels that have any.
 */
import { softmax } from './logistic.js'

export interface Calibration {
  /** At least 1. */
  readonly temperature: number
  /** 0 to 1. */
  readonly uniformShare: number
}

/** Scores of held-out events, `classCount` each, with the truth. */
export interface HeldOut {
  readonly classCount: number
  readonly scores: Float64Array
  readonly classes: Int32Array
  readonly weights: Float64Array
}

const temperatureMax = 20
const searchSteps = 40

/** The share of the uniform for so many examples and labels. */
export function uniformShareOf(examples: number, classCount: number): number {
  return (0.3 * classCount) / (examples + classCount)
}

/** Turns scores into calibrated probabilities, in place. */
export function calibrate(scores: Float64Array, calibration: Calibration): void {
  const { temperature, uniformShare } = calibration
  if (temperature !== 1) for (let k = 0; k < scores.length; k++) scores[k] = (scores[k] as number) / temperature
  softmax(scores)
  const floor = uniformShare / scores.length
  for (let k = 0; k < scores.length; k++) scores[k] = (scores[k] as number) * (1 - uniformShare) + floor
}

/** Weighted mean log-loss and accuracy of calibrated probabilities. */
export function evaluate(heldOut: HeldOut, calibration: Calibration): { logLoss: number; accuracy: number } {
  const { classCount } = heldOut
  const scores = new Float64Array(classCount)
  let loss = 0
  let right = 0
  let total = 0
  for (let i = 0; i < heldOut.classes.length; i++) {
    for (let k = 0; k < classCount; k++) scores[k] = heldOut.scores[i * classCount + k] as number
    calibrate(scores, calibration)
    const truth = heldOut.classes[i] as number
    const weight = heldOut.weights[i] as number
    loss -= weight * Math.log(Math.max(1e-12, scores[truth] as number))
    let best = 0
    for (let k = 1; k < classCount; k++) if ((scores[k] as number) > (scores[best] as number)) best = k
    if (best === truth) right += weight
    total += weight
  }
  return { logLoss: loss / total, accuracy: right / total }
}

/** The temperature, 1 or more, with the least log-loss: golden section search over its logarithm. */
export function fitTemperature(heldOut: HeldOut, uniformShare: number): number {
  const lossAt = (log: number): number => evaluate(heldOut, { temperature: Math.exp(log), uniformShare }).logLoss
  const ratio = (Math.sqrt(5) - 1) / 2
  let low = 0
  let high = Math.log(temperatureMax)
  let left = high - ratio * (high - low)
  let right = low + ratio * (high - low)
  let leftLoss = lossAt(left)
  let rightLoss = lossAt(right)
  for (let step = 0; step < searchSteps && high - low > 1e-3; step++) {
    if (leftLoss <= rightLoss) {
      high = right
      right = left
      rightLoss = leftLoss
      left = high - ratio * (high - low)
      leftLoss = lossAt(left)
    } else {
      low = left
      left = right
      leftLoss = rightLoss
      right = low + ratio * (high - low)
      rightLoss = lossAt(right)
    }
  }
  const found = (low + high) / 2
  return lossAt(0) <= lossAt(found) ? 1 : Math.exp(found)
}
