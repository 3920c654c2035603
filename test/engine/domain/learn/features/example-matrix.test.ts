import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Example } from '../../../../../engine/domain/learn/classifier.js'
import {
  buildMatrix,
  renumberFeatures,
  type ExampleMatrix,
} from '../../../../../engine/domain/learn/features/example-matrix.js'
import { FeatureEncoder } from '../../../../../engine/domain/learn/features/features.js'
import { FeatureTable } from '../../../../../engine/domain/learn/features/feature-table.js'
import { profilePoints } from '../../../../../engine/domain/learn/features/point-profile.js'

const stage = { at: (): void => {} }

function matrixOf(examples: readonly Example[]): { matrix: ExampleMatrix; table: FeatureTable } {
  const profiles = profilePoints(
    2,
    examples.map(({ values }) => values),
  )
  const table = new FeatureTable()
  const encoder = new FeatureEncoder(['a', 'b'], profiles, new Int32Array(0))
  return { matrix: buildMatrix(examples, encoder, table, stage), table }
}

function example(a: string, b: string, label: number, weight = 1): Example {
  return { values: [a, b], label, weight }
}

const examples = [
  example('x', 'y', 2),
  example('x', 'z', 0, 5),
  example('x', 'y', 2, 3),
  example('x', 'y', 0),
  example('w', 'z', 0),
]

test('equal events with one label are one row with their weights together', () => {
  const { matrix } = matrixOf(examples)
  assert.equal(matrix.rowCount, 4)
  assert.deepEqual([...matrix.rowOf], [0, 1, 0, 2, 3])
  assert.deepEqual([...matrix.weights], [4, 5, 1, 1])
})

test('classes are the labels that have examples', () => {
  const { matrix } = matrixOf(examples)
  assert.deepEqual([...matrix.labels], [0, 2])
  assert.deepEqual([...matrix.classes], [1, 0, 0, 0])
})

test('features are numbered as they come', () => {
  const { matrix, table } = matrixOf(examples)
  assert.deepEqual([...matrix.features], [0, 1, 0, 2, 0, 1, 3, 2])
  assert.deepEqual([...matrix.starts], [0, 2, 4, 6, 8])
  assert.equal(table.size, matrix.featureCount)
})

test('features that are left out are gone from every row', () => {
  const { matrix } = matrixOf(examples)
  const smaller = renumberFeatures(matrix, Int32Array.of(-1, 0, 1, -1), 2, stage)
  assert.deepEqual([...smaller.features], [0, 1, 0, 1])
  assert.deepEqual([...smaller.starts], [0, 1, 2, 3, 4])
  assert.equal(smaller.featureCount, 2)
})
