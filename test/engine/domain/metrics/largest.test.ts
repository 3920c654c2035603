import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Largest } from '../../../../engine/domain/metrics/largest.js'
import { SeededRandom } from '../../../../engine/rng.js'

it('the ten largest of many are those of sorting them all', () => {
  const random = new SeededRandom(3)
  const many = Array.from({ length: 5_000 }, (_, i) => ({ id: `b${i}`, size: random.below(60) }))
  const largest = new Largest<(typeof many)[number]>(10)
  for (const one of many) largest.add(one)
  assert.deepEqual(largest.sorted(), [...many].sort((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1)).slice(0, 10))
})
