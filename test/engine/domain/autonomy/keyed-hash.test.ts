import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { hashLanesOfThread, lanes } from '../../../../engine/domain/autonomy/hash-lanes.js'
import { KeyedHash } from '../../../../engine/domain/autonomy/keyed-hash.js'
import { eventIdOf } from '../../../../engine/domain/event/event-id.js'
import { SeededRandom } from '../../../../engine/rng.js'

/** 48 bits of node:crypto's hash from a byte on. */
const bitsFrom = (byte: number, key: Uint8Array, text: string): number =>
  createHmac('sha256', key).update(text).digest().readUIntBE(byte, 6)

describe('a keyed hash', () => {
  const random = new SeededRandom(1)
  const whole = (below: number): number => Math.floor(random.nextFloat() * below)
  const textOf = (length: number): string =>
    String.fromCharCode(...Array.from({ length }, () => 0x20 + whole(0x7f - 0x20)))

  it('is that of node:crypto for texts of all lengths and characters', () => {
    for (let round = 0; round < 300; round++) {
      const key = Uint8Array.from({ length: 16 + whole(49) }, () => whole(256))
      const hash = new KeyedHash(key)
      for (const text of [textOf(whole(140)), 'é', '', '😀', 'alert-1'])
        assert.deepEqual([hash.first48(text), hash.next48], [bitsFrom(0, key, text), bitsFrom(8, key, text)], text)
    }
  })

  it('is the same for four ids of the service at once, whatever was hashed before', () => {
    assert.notEqual(hashLanesOfThread(), null, 'this machine has WebAssembly')
    const key = Buffer.alloc(32, 7)
    const [hash, other] = [new KeyedHash(key), new KeyedHash(Buffer.alloc(32, 8))]
    const [first, next] = [new Float64Array(lanes), new Float64Array(lanes)]
    for (const begin of [0, 1_700_000_000_000_000, 2 ** 52])
      for (let round = 0; round < 100; round++) {
        const times = Array.from({ length: 1 + whole(lanes) }, () => begin + whole(2 ** 40))
        other.ofEventIds([whole(2 ** 50)], first, next)
        hash.ofEventIds(times, first, next)
        const ids = times.map(eventIdOf)
        assert.deepEqual(
          [...first.subarray(0, times.length)],
          ids.map((id) => bitsFrom(0, key, id)),
        )
        assert.deepEqual(
          [...next.subarray(0, times.length)],
          ids.map((id) => bitsFrom(8, key, id)),
        )
      }
  })
})
