import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FeatureTable } from '../../../../../engine/domain/learn/features/feature-table.js'
import { SeededRandom } from '../../../../../engine/rng.js'

test('features are numbered in the order in which they come, each once', () => {
  const table = new FeatureTable()
  assert.deepEqual(
    [7, -9, 7, 16].map((hash) => table.add(hash)),
    [0, 1, 0, 2],
  )
  assert.equal(table.size, 3)
  assert.equal(table.find(-9), 1)
  assert.equal(table.find(8), -1)
  assert.deepEqual([...table.hashes()], [7, -9, 16])
})

test('any number of features is found again, as in a map', () => {
  const random = new SeededRandom(4)
  const table = new FeatureTable()
  const map = new Map<number, number>()
  for (let i = 0; i < 20_000; i++) {
    const hash = (random.below(30_000) * 65_536) | 1
    if (!map.has(hash)) map.set(hash, map.size)
    assert.equal(table.add(hash), map.get(hash))
  }
  for (const [hash, number] of map) assert.equal(table.find(hash), number)
  assert.deepEqual([...table.hashes()], [...map.keys()])
})
