import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { HashLanes, hashLanesOfThread, lanes } from '../../../../engine/domain/autonomy/hash-lanes.js'
import { KeyedHash } from '../../../../engine/domain/autonomy/keyed-hash.js'
import { eventIdOf } from '../../../../engine/domain/event/event-id.js'
import { SeededRandom } from '../../../../engine/rng.js'

const first48 = (key: Uint8Array, text: string): number =>
  Number.parseInt(createHmac('sha256', key).update(text).digest('hex').slice(0, 12), 16)

describe('a keyed hash', () => {
  const random = new SeededRandom(1)
  const whole = (below: number): number => Math.floor(random.nextFloat() * below)
  const textOf = (length: number): string =>
    String.fromCharCode(...Array.from({ length }, () => 0x20 + whole(0x7f - 0x20)))

  it('is that of node:crypto, for four texts at once as for one', () => {
    assert.notEqual(hashLanesOfThread(), null, 'this machine has WebAssembly')
    for (let round = 0; round < 300; round++) {
      const key = Uint8Array.from({ length: 16 + whole(49) }, () => whole(256))
      const hash = new KeyedHash(key)
      const texts = Array.from({ length: 1 + whole(lanes) }, () => textOf(whole(56)))
      const wanted = texts.map((text) => first48(key, text))
      assert.deepEqual(hash.first48OfEach(texts), wanted)
      assert.deepEqual(
        texts.map((text) => hash.first48(text)),
        wanted,
      )
    }
  })

  it('is the same for ids of the service, whatever was hashed before', () => {
    const key = Buffer.alloc(32, 7)
    const [hash, other] = [new KeyedHash(key), new KeyedHash(Buffer.alloc(32, 8))]
    for (let micros = 1_700_000_000_000_000; micros < 1_700_000_000_004_000; micros += 40) {
      const ids = Array.from({ length: lanes }, (_, at) => eventIdOf(micros + 10 * at))
      other.first48OfEach([textOf(55)])
      assert.deepEqual(
        hash.first48OfEach(ids),
        ids.map((id) => first48(key, id)),
      )
    }
  })

  it('takes texts of all lengths and characters, and more than four', () => {
    const key = Buffer.alloc(20, 1)
    const hash = new KeyedHash(key)
    const long = Array.from({ length: 140 }, (_, length) => textOf(length))
    for (const texts of [long, ['a', 'é', '', 'alert-1'], ['😀'], [textOf(56), 'b'], []])
      assert.deepEqual(
        hash.first48OfEach(texts),
        texts.map((text) => first48(key, text)),
      )
  })

  it('refuses in its lanes what does not fit in one block', () => {
    const four = new HashLanes()
    assert.deepEqual(
      [textOf(55), textOf(56), 'ü'].map((text) => four.put(0, text)),
      [true, false, false],
    )
  })
})
