import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NumberMap } from '../../../../engine/domain/cause/number-map.js'
import { SeededRandom } from '../../../../engine/rng.js'

describe('a map from numbers', () => {
  it('holds what a Map holds, whatever comes, and is empty when it is cleared', () => {
    const random = new SeededRandom(7)
    const [ours, theirs] = [new NumberMap<number>(), new Map<number, number>()]
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 5_000; i++) {
        const key = random.pick([
          i,
          2 ** 53 - 1 - random.below(900),
          1_700_000_000_000_000 + random.below(3_000),
          random.below(50) * 2 ** 32,
        ])
        assert.equal(ours.get(key), theirs.get(key))
        ours.set(key, i)
        theirs.set(key, i)
      }
      assert.equal(ours.size, theirs.size)
      assert.deepEqual(
        [...ours.entries()].sort(([a], [b]) => a - b),
        [...theirs].sort(([a], [b]) => a - b),
      )
      ours.clear()
      theirs.clear()
      assert.deepEqual([ours.size, ours.get(0), [...ours.entries()]], [0, undefined, []])
    }
  })
})
