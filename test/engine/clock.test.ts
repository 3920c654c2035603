import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isoMicros } from '../../engine/clock.js'
import { SeededRandom } from '../../engine/random.js'

describe('a timestamp', () => {
  it('is ISO 8601 in UTC with microseconds, as the Date of the same time says', () => {
    const random = new SeededRandom(7)
    const edges = [0, 1, 999_999, 1e6, 86_399_999_999, 86_400_000_000, Date.UTC(2024, 1, 29, 23, 59, 59, 999) * 1000 + 999]
    const others = Array.from({ length: 2_000 }, () => Math.floor((random.nextUint32() / 2 ** 32) * Date.UTC(2200, 0) * 1000))
    for (const micros of [...edges, ...others]) {
      const ms = Math.floor(micros / 1000)
      const expected = new Date(ms).toISOString().replace('Z', `${String(micros - ms * 1000).padStart(3, '0')}Z`)
      assert.equal(isoMicros(micros), expected)
    }
  })
})
