import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExampleMatrix } from '../../../../../engine/domain/learn/features/example-matrix.js'
import {
  LinearTrials,
  usualPenalty,
  type LinearPenalty,
} from '../../../../../engine/domain/learn/linear/linear-choice.js'
import { ProgressReport } from '../../../../../engine/domain/learn/progress.js'
import { SeededRandom } from '../../../../../engine/rng.js'

const stage = new ProgressReport(() => true).stage(0, 1, '')
const rowCount = 300

/**
 * Rows of `width` features, one of each pair of features at random, of a class that `classOf` tells of the features.
 */
function matrixOf(
  width: number,
  classOf: (features: readonly number[], random: SeededRandom) => number,
): ExampleMatrix {
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

function penaltyFor(matrix: ExampleMatrix, measured: Int32Array = new Int32Array(0)): LinearPenalty {
  const trials = new LinearTrials({ linear: matrix, measured }, true)
  const half = (odd: number): Float64Array => matrix.weights.map((weight, row) => (row % 2 === odd ? weight : 0))
  for (const odd of [0, 1]) trials.tryFold(half(odd), half(1 - odd), stage)
  assert.equal(trials.weightsOf(1).length, (matrix.featureCount + 1) * 2)
  return trials.penalty
}

test('weights of features that mean nothing are held down', () => {
  assert.ok(penaltyFor(matrixOf(40, (_, random) => random.below(2))).strength > usualPenalty.strength)
})

test('weights of features that tell all are let go', () => {
  assert.ok(penaltyFor(matrixOf(4, (features) => (features[0] as number) % 2)).strength < usualPenalty.strength)
})

/**
 * Rows of `width` numbers beside their bins, of the class that a sum of all numbers says, or that the bins of the first
 * do.
 */
function numbersOf(width: number, byLine: boolean): { matrix: ExampleMatrix; measured: Int32Array } {
  const random = new SeededRandom(4)
  const binCount = 20
  const numbers = Array.from({ length: rowCount }, () =>
    Array.from({ length: width }, () => random.below(1_000) / 250 - 2),
  )
  const bin = (x: number): number => Math.floor(((x + 2) / 4) * binCount)
  const features = numbers.flatMap((row) =>
    row.flatMap((x, j) => [j * (binCount + 1) + 1 + bin(x), j * (binCount + 1)]),
  )
  const classOf = (row: readonly number[]): number =>
    (byLine ? row.reduce((a, b) => a + b, 0) > 0 : bin(row[0] as number) % 2 === 1) ? 1 : 0
  const matrix = {
    ...matrixOf(1, () => 0),
    featureCount: width * (binCount + 1),
    starts: Int32Array.from({ length: rowCount + 1 }, (_, row) => row * 2 * width),
    features: Int32Array.from(features),
    values: Float32Array.from(numbers.flatMap((row) => row.flatMap((x) => [1, x / 2]))),
    classes: Int32Array.from(numbers, classOf),
  }
  return { matrix, measured: Int32Array.from({ length: width }, (_, j) => j * (binCount + 1)) }
}

test('numbers are let go where a line through them tells more than their bins, and there alone', () => {
  const lines = numbersOf(12, true)
  assert.ok(penaltyFor(lines.matrix, lines.measured).onNumbers < 1)
  const bins = numbersOf(12, false)
  assert.ok(penaltyFor(bins.matrix, bins.measured).onNumbers > 0.8)
})
