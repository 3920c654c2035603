import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExampleMatrix } from '../../../../../engine/domain/learn/features/example-matrix.js'
import { fitLogistic, softmax } from '../../../../../engine/domain/learn/linear/logistic.js'
import { scoreRow } from '../../../../../engine/domain/learn/linear/row-loops.js'

const stage = { at: (): void => {} }

type Row = readonly [feature: number, label: number, weight: number]

/** Rows of one feature each. */
function matrixOf(rows: readonly Row[], labels: number): ExampleMatrix {
  return {
    rowCount: rows.length,
    featureCount: Math.max(...rows.map(([feature]) => feature)) + 1,
    labels: Int32Array.from({ length: labels }, (_, label) => label),
    starts: Int32Array.from({ length: rows.length + 1 }, (_, row) => row),
    features: Int32Array.from(rows, ([feature]) => feature),
    values: new Float32Array(rows.length).fill(1),
    classes: Int32Array.from(rows, ([, label]) => label),
    weights: Float64Array.from(rows, ([, , weight]) => weight),
    rowOf: Int32Array.from(rows.keys()),
  }
}

function fitted(matrix: ExampleMatrix, strength: number): Float64Array {
  const weights = new Float64Array((matrix.featureCount + 1) * matrix.labels.length)
  fitLogistic({ matrix, rowWeights: matrix.weights, weights }, { strength, iterationsMax: 200 }, stage)
  return weights
}

function chances(matrix: ExampleMatrix, weights: Float64Array, row: number): number[] {
  const scores = new Float64Array(matrix.labels.length)
  scoreRow(matrix, row, weights, scores)
  softmax(scores)
  return [...scores]
}

test('softmax sums to 1 however large the scores are', () => {
  const scores = Float64Array.of(1000, 1001, -1000)
  const total = softmax(scores)
  assert.ok(Math.abs((scores[0] as number) + (scores[1] as number) - 1) < 1e-12)
  assert.equal(scores[2], 0)
  assert.ok(Math.abs(total - 1001.3132616875182) < 1e-9)
})

test('with hardly a penalty the chances are the shares of the labels', () => {
  for (const labels of [2, 3, 4]) {
    const rows = Array.from({ length: labels }, (_, label) => [0, label, label + 1] as const)
    const matrix = matrixOf(rows, labels)
    const total = (labels * (labels + 1)) / 2
    chances(matrix, fitted(matrix, 1e-3), 0).forEach((chance, label) => {
      assert.ok(Math.abs(chance - (label + 1) / total) < 1e-2, `${labels} labels: ${chance}`)
    })
  }
})

test('at the least loss the pull of the rows is the pull of the penalty', () => {
  const matrix = matrixOf(
    [
      [0, 0, 3],
      [0, 1, 1],
      [1, 1, 5],
      [1, 2, 2],
      [2, 2, 4],
    ],
    3,
  )
  const strength = 0.7
  const weights = fitted(matrix, strength)
  const pull = new Float64Array(9)
  for (let row = 0; row < 5; row++) {
    const feature = matrix.features[row] as number
    const label = matrix.classes[row] as number
    const weight = matrix.weights[row] as number
    chances(matrix, weights, row).forEach((chance, k) => {
      pull[feature * 3 + k] = (pull[feature * 3 + k] as number) + weight * ((k === label ? 1 : 0) - chance)
    })
  }
  pull.forEach((value, i) => assert.ok(Math.abs(value - strength * (weights[i] as number)) < 0.02, `${value} at ${i}`))
})

test('a stronger penalty brings the chances closer together', () => {
  const matrix = matrixOf(
    [
      [0, 0, 5],
      [1, 1, 5],
    ],
    2,
  )
  const weak = chances(matrix, fitted(matrix, 0.1), 0)[0] as number
  const strong = chances(matrix, fitted(matrix, 10), 0)[0] as number
  assert.ok(weak > strong && strong > 0.5)
})

test('a row of weight 0 teaches nothing', () => {
  const matrix = matrixOf(
    [
      [0, 0, 5],
      [1, 1, 5],
      [0, 1, 100],
    ],
    2,
  )
  const without = matrixOf(
    [
      [0, 0, 5],
      [1, 1, 5],
    ],
    2,
  )
  const weights = new Float64Array(6)
  fitLogistic({ matrix, rowWeights: Float64Array.of(5, 5, 0), weights }, { strength: 1, iterationsMax: 100 }, stage)
  assert.deepEqual(weights, fitted(without, 1).slice(0, 6))
})

test('rows without a weight, and features of these alone, change no bit of the weights', () => {
  const rows = Array.from({ length: 400 }, (_, i): Row => [(i * 7) % 60, (i * i) % 3, i % 4 === 0 ? 1 + (i % 5) : 0])
  const kept = rows.filter(([, , weight]) => weight > 0)
  const eased = { features: Int32Array.of(8, 12, 9), share: 0.25 }
  const [whole, part] = [rows, kept].map((some) => {
    const matrix = { ...matrixOf(some, 3), featureCount: 60 }
    const weights = new Float64Array(61 * 3)
    // A second fit begins where the first one ended, and with a weight that no row asks for.
    weights[3 * 3] = 0.5
    for (const strength of [2, 0.5])
      fitLogistic({ matrix, rowWeights: matrix.weights, weights }, { strength, iterationsMax: 25, eased }, stage)
    return weights
  })
  assert.ok(kept.every(([feature]) => feature !== 3) && part !== undefined)
  assert.deepEqual(whole, part)
})
