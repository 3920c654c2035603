import assert from 'node:assert/strict'
import { test } from 'node:test'
import { calibrate, evaluate, fitTemperature, uniformShareOf, type HeldOut } from '../../../engine/learn/calibration.js'
import { softmax } from '../../../engine/learn/logistic.js'
import { SeededRandom } from '../../../engine/random.js'

/** Held-out events whose labels are drawn from softmax(scores / softness). */
function drawn(softness: number): HeldOut {
  const random = new SeededRandom(5)
  const count = 3_000
  const scores = Float64Array.from({ length: count * 3 }, () => random.nextFloat() * 6)
  const classes = Int32Array.from({ length: count }, (_, i) => {
    const chances = scores.slice(i * 3, i * 3 + 3).map((score) => score / softness)
    softmax(chances)
    const point = random.nextFloat()
    return point < (chances[0] as number) ? 0 : point < (chances[0] as number) + (chances[1] as number) ? 1 : 2
  })
  return { classCount: 3, scores, classes, weights: new Float64Array(count).fill(1) }
}

test('a model that is too sure is softened by as much as it is too sure', () => {
  assert.ok(Math.abs(fitTemperature(drawn(3), 0) - 3) < 0.3)
})

test('a model that is not sure enough is left as it is', () => {
  assert.equal(fitTemperature(drawn(0.5), 0), 1)
})

test('the uniform share is large with few labels and goes with many', () => {
  assert.ok(Math.abs(uniformShareOf(2, 2) - 0.15) < 1e-12)
  assert.ok(uniformShareOf(10_000, 3) < 1e-4)
})

test('calibrated scores are probabilities with the order of the scores', () => {
  const scores = Float64Array.of(2, -1, 500)
  calibrate(scores, { temperature: 2, uniformShare: 0.03 })
  assert.ok(Math.abs(scores.reduce((a, b) => a + b, 0) - 1) < 1e-12)
  assert.ok((scores[2] as number) > (scores[0] as number) && (scores[0] as number) >= (scores[1] as number))
  assert.ok((scores[1] as number) >= 0.01)
})

test('loss and accuracy are weighted means', () => {
  const heldOut = {
    classCount: 2,
    scores: Float64Array.of(0, 0, Math.log(3), 0),
    classes: Int32Array.of(0, 1),
    weights: Float64Array.of(3, 1),
  }
  const { logLoss, accuracy } = evaluate(heldOut, { temperature: 1, uniformShare: 0 })
  assert.ok(Math.abs(logLoss - (3 * Math.log(2) + Math.log(4)) / 4) < 1e-12)
  assert.equal(accuracy, 0.75)
})
