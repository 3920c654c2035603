import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExampleMatrix } from '../../../engine/learn/example-matrix.js'
import { LinearTrials, linearStrengthUsual } from '../../../engine/learn/linear-choice.js'
import { ProgressReport } from '../../../engine/learn/progress.js'
import { SeededRandom } from '../../../engine/random.js'

const stage = new ProgressReport(() => true).stage(0, 1, '')
const rowCount = 300

/** Rows of `width` features, one of each pair of features at random, of a class that `classOf` tells of the features. */
function matrixOf(width: number, classOf: (features: readonly number[], random: SeededRandom) => number): ExampleMatrix {
  const random = new SeededRandom(3)
  const rows = Array.from({ length: rowCount }, () => Array.from({ length: width }, (_, j) => 2 * j + random.below(2)))
  const starts = Int32Array.from({ length: rowCount + 1 }, (_, row) => row * width)
  return {
    rowCount,
    featureCount: 2 * width,
    labels: Int32Array.of(0, 1),
    starts,
    features: Int32Array.from(rows.flat()),
    values: new Float32Array(rowCount * width).fill(1),
    classes: Int32Array.from(rows, (features) => classOf(features, random)),
    weights: new Float64Array(rowCount).fill(1),
    rowOf: Int32Array.from({ length: rowCount }, (_, row) => row),
  }
}

function strengthFor(matrix: ExampleMatrix): number {
  const trials = new LinearTrials()
  const half = (odd: number): Float64Array => matrix.weights.map((weight, row) => (row % 2 === odd ? weight : 0))
  for (const odd of [0, 1]) trials.tryFold(matrix, half(odd), half(1 - odd), stage)
  assert.equal(trials.weightsOf(1).length, (matrix.featureCount + 1) * 2)
  return trials.strength
}

test('weights of features that mean nothing are held down', () => {
  assert.ok(strengthFor(matrixOf(40, (_, random) => random.below(2))) > linearStrengthUsual)
})

test('weights of features that tell all are let go', () => {
  assert.ok(strengthFor(matrixOf(4, (features) => (features[0] as number) % 2)) < linearStrengthUsual)
})
