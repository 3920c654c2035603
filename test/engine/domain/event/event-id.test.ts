import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventIdOf, microsOfEventId } from '../../../../engine/domain/event/event-id.js'
import { SeededRandom } from '../../../../engine/rng.js'

describe('event ids of the service', () => {
  it('text order is time order, and an id leads back to its time', () => {
    const random = new SeededRandom(1)
    const times = Array.from({ length: 2_000 }, () => Math.floor(random.nextFloat() * Number.MAX_SAFE_INTEGER))
    times.push(0, 1, 31, 32, 2 ** 32 - 1, 2 ** 32, 1_700_000_000_000_000, Number.MAX_SAFE_INTEGER)
    times.sort((a, b) => a - b)
    const ids = times.map(eventIdOf)
    assert.deepEqual([...ids].sort(), ids)
    assert.deepEqual(ids.map(microsOfEventId), times)
    assert.equal(new Set(ids).size, new Set(times).size)
  })

  it('other texts lead to no time', () => {
    for (const id of [
      '',
      'None',
      '0',
      'x'.repeat(12),
      'x'.repeat(14),
      '0000000000000 ',
      '000000000000I',
      '000000000000l',
      '000000000000U',
      '00000000000-1',
      'zzzzzzzzzzzzz',
      'ABCDEFGHJKMNP',
      '\u00e9000000000000',
      '00000000-0000',
    ]) {
      assert.equal(microsOfEventId(id), null, id)
    }
  })
})
