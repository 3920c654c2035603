import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HashedModel, readModel, writeModel } from '../../../engine/learn/hashed-model.js'
import { hashedLogistic } from '../../../engine/learn/hashed-logistic.js'

const examples = Array.from({ length: 60 }, (_, i) => ({
  values: [['alpha', 'beta', 'gamma'][i % 3] as string, i % 3 === 0 ? i : null, i % 2 === 0],
  label: i % 3 === 0 ? 2 : 0,
  weight: 1,
}))
const points = ['name', 'naïve.path', 'flag']
const bytes = hashedLogistic.train({ points, labelCount: 3, examples, background: [], seed: 3 }, () => true)

test('a model written again has the same bytes', () => {
  assert.deepEqual(writeModel(readModel(bytes)), bytes)
})

test('a model keeps its points, labels and calibration', () => {
  const parts = readModel(bytes)
  assert.deepEqual(parts.points, points)
  assert.deepEqual([...parts.labels], [0, 2])
  assert.equal(parts.labelCount, 3)
  assert.ok(parts.calibration.temperature >= 1)
  assert.ok(parts.weights.length <= parts.features.length * parts.labels.length)
})

test('what an event lacks, and what nobody has, is measured', () => {
  const model = new HashedModel(readModel(bytes))
  const usual = model.signals(['alpha', 3, true])
  const strange = model.signals(['omega', 3, 'yes'])
  assert.ok(strange.unknown > usual.unknown && strange.unknown <= 1)
  assert.ok(strange.surprise > usual.surprise)
  assert.ok(strange.doubt >= 0 && strange.doubt <= 2 / 3)
})
