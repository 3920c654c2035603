import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Example } from '../../../engine/learn/classifier.js'
import { buildMatrix, type ExampleMatrix } from '../../../engine/learn/example-matrix.js'
import { FeatureEncoder } from '../../../engine/learn/features.js'
import { FeatureTable } from '../../../engine/learn/feature-table.js'
import { chooseModel } from '../../../engine/learn/model-choice.js'
import { profilePoints } from '../../../engine/learn/point-profile.js'
import { SeededRandom } from '../../../engine/random.js'

const stage = { at: (): void => {} }

function problem(count: number, noise: number): { matrix: ExampleMatrix; weights: Float64Array } {
  const random = new SeededRandom(6)
  const examples = Array.from({ length: count }, (): Example => {
    const kind = random.below(6)
    const label = random.nextFloat() < noise ? random.below(3) : kind % 3
    return { values: [`kind-${kind}`, `host-${random.below(count)}`], label, weight: 1 }
  })
  const profiles = profilePoints(
    2,
    examples.map(({ values }) => values),
  )
  const encoder = new FeatureEncoder(['kind', 'host'], profiles, new Int32Array(0))
  const matrix = buildMatrix(examples, encoder, new FeatureTable(), stage)
  return { matrix, weights: Float64Array.from(examples, ({ weight }) => weight) }
}

test('noise calls for a stronger penalty than order', () => {
  const clean = problem(400, 0)
  const noisy = problem(400, 0.6)
  const choice = chooseModel(clean.matrix, clean.weights, 1, stage)
  const other = chooseModel(noisy.matrix, noisy.weights, 1, stage)
  assert.ok(choice.strength < other.strength)
  assert.ok((choice.accuracy as number) > 0.98 && (other.accuracy as number) < 0.75)
  assert.ok((choice.logLoss as number) < (other.logLoss as number))
})

test('a handful of examples is not split', () => {
  const { matrix, weights } = problem(12, 0)
  const choice = chooseModel(matrix, weights, 1, stage)
  assert.equal(choice.logLoss, null)
  assert.equal(choice.calibration.temperature, 1)
  assert.ok(choice.doubts.every(Number.isNaN))
})

test('each held-out row has a doubt from 0 to 1', () => {
  const { matrix, weights } = problem(200, 0.2)
  const { doubts } = chooseModel(matrix, weights, 1, stage)
  assert.equal(doubts.length, matrix.rowCount)
  assert.ok(doubts.every((doubt) => doubt >= 0 && doubt <= 2 / 3 + 1e-9))
})

test('the choice follows the seed, and the same seed repeats it', () => {
  const { matrix, weights } = problem(200, 0.3)
  assert.deepEqual(chooseModel(matrix, weights, 7, stage), chooseModel(matrix, weights, 7, stage))
  assert.notDeepEqual(chooseModel(matrix, weights, 7, stage).doubts, chooseModel(matrix, weights, 8, stage).doubts)
})
