import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Example, PointValues } from '../../../../../engine/domain/learn/classifier.js'
import { buildMatrix } from '../../../../../engine/domain/learn/features/example-matrix.js'
import { FeatureEncoder } from '../../../../../engine/domain/learn/features/features.js'
import { FeatureTable } from '../../../../../engine/domain/learn/features/feature-table.js'
import { profilePoints } from '../../../../../engine/domain/learn/features/point-profile.js'
import { countFeatures, limitFeatures } from '../../../../../engine/domain/learn/features/vocabulary.js'

const stage = { at: (): void => {} }

function countsOf(examples: readonly Example[], background: readonly PointValues[]): number[] {
  const profiles = profilePoints(
    1,
    examples.map(({ values }) => values),
  )
  const encoder = new FeatureEncoder(['a'], profiles, new Int32Array(0))
  const table = new FeatureTable()
  return [...countFeatures(buildMatrix(examples, encoder, table, stage), background, { encoder, table }, stage)]
}

function example(a: string, label = 0): Example {
  return { values: [a], label, weight: 7 }
}

test('a feature counts once for each example, whatever the weight', () => {
  assert.deepEqual(countsOf([example('x'), example('x'), example('x', 1), example('y')], []), [3, 1])
})

test('examples that are in the background too are not counted twice', () => {
  assert.deepEqual(countsOf([example('x'), example('y'), example('y')], [['x'], ['y'], ['y'], ['y']]), [1, 3])
})

test('features of the background alone come after those of the examples', () => {
  assert.deepEqual(countsOf([example('x')], [['z'], ['z'], ['x']]), [1, 2])
})

test('where there are too many features the most frequent stay', () => {
  const count = 70_000
  const examples = Array.from({ length: count }, (_, i) => example(`value-${i < 500 ? i % 50 : i}`, i % 2))
  const profiles = profilePoints(
    1,
    examples.slice(0, 10).map(({ values }) => values),
  )
  const encoder = new FeatureEncoder(['a'], profiles, new Int32Array(0))
  const table = new FeatureTable()
  const matrix = buildMatrix(examples, encoder, table, stage)
  const counts = countFeatures(matrix, [], { encoder, table }, stage)
  const kept = limitFeatures({ matrix, hashes: table.hashes(), counts }, stage)
  assert.ok(kept.hashes.length < 66_000 && kept.hashes.length > 0)
  assert.equal(kept.hashes.length, kept.counts.length)
  assert.equal(kept.matrix.featureCount, kept.hashes.length)
  assert.equal(kept.matrix.rowCount, matrix.rowCount)
  encoder.encode(['value-7'])
  assert.ok(kept.hashes.includes(encoder.hashes[0] as number))
})
