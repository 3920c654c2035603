import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExampleMatrix } from '../../../../../engine/domain/learn/features/example-matrix.js'
import { addRow, scoreRow } from '../../../../../engine/domain/learn/linear/row-loops.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const [rowCount, featureCount, entries] = [20, 30, 8]

function matrixOf(random: SeededRandom): ExampleMatrix {
  const size = rowCount * entries
  return {
    rowCount,
    featureCount,
    labels: new Int32Array(0),
    starts: Int32Array.from({ length: rowCount + 1 }, (_, row) => row * entries),
    features: Int32Array.from({ length: size }, () => random.below(featureCount)),
    values: Float32Array.from({ length: size }, () => random.below(1_000) / 300),
    classes: new Int32Array(rowCount),
    weights: new Float64Array(rowCount),
    rowOf: new Int32Array(0),
  }
}

for (const classCount of [2, 3, 4, 7])
  test(`rows of ${classCount} classes are summed in the order of their features`, () => {
    const random = new SeededRandom(classCount)
    const matrix = matrixOf(random)
    const numbers = (length: number): Float64Array =>
      Float64Array.from({ length }, () => (random.below(2_000) - 1_000) / 700)
    const weights = numbers((featureCount + 1) * classCount)
    const gradient = numbers(weights.length)
    for (let row = 0; row < rowCount; row++) {
      const residuals = numbers(classCount)
      const scores = weights.slice(featureCount * classCount)
      const summed = gradient.slice()
      for (let k = 0; k < classCount; k++) summed[featureCount * classCount + k]! += residuals[k] as number
      for (let j = row * entries; j < (row + 1) * entries; j++)
        for (let k = 0; k < classCount; k++) {
          const at = (matrix.features[j] as number) * classCount + k
          scores[k]! += (matrix.values[j] as number) * (weights[at] as number)
          summed[at]! += (matrix.values[j] as number) * (residuals[k] as number)
        }
      const found = new Float64Array(classCount)
      scoreRow(matrix, row, weights, found)
      assert.deepEqual(found, scores)
      addRow(matrix, row, residuals, gradient)
      assert.deepEqual(gradient, summed)
    }
  })
