import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SeededRandom } from '../../../engine/rng.js'
import { BodyCodec } from '../../../engine/store/body-codec.js'
import { WriteBatch } from '../../../engine/store/environment.js'
import { MemoryEnvironment } from '../../../engine/store/memory-store.js'
import { randomObject } from '../../support/engine/json.js'

function commitRows(codec: BodyCodec, environment: MemoryEnvironment): number {
  const batch = new WriteBatch()
  codec.writeNewRows(batch)
  environment.commit(batch)
  codec.committed()
  return batch.size
}

describe('body codec', () => {
  for (const seed of [1, 2]) {
    it(`bodies survive packing, and another reader that comes later reads them, seed ${seed}`, () => {
      const random = new SeededRandom(seed)
      const environment = new MemoryEnvironment(['shapes', 'words'])
      const writer = new BodyCodec(environment)
      const reader = new BodyCodec(environment)
      for (let round = 0; round < 40; round++) {
        const bodies = Array.from({ length: 5 }, () => randomObject(random))
        const packed = bodies.map((body) => Uint8Array.from(writer.encode(body)))
        commitRows(writer, environment)
        assert.deepEqual(
          packed.map((bytes) => reader.decode(bytes)),
          bodies,
        )
      }
      const body = randomObject(random)
      const packed = Uint8Array.from(writer.encode(body))
      commitRows(writer, environment)
      assert.deepEqual(new BodyCodec(environment).decode(packed), body)
    })
  }

  it('a shape is written once, and again only where its commit failed', () => {
    const environment = new MemoryEnvironment(['shapes', 'words'])
    const codec = new BodyCodec(environment)
    codec.encode({ a: { b: 1 } })
    const lost = new WriteBatch()
    codec.writeNewRows(lost)
    assert.equal(lost.size, 2)
    codec.encode({ c: 1 })
    assert.equal(commitRows(codec, environment), 3)
    codec.encode({ a: { b: 2 } })
    assert.equal(commitRows(codec, environment), 0)
    assert.equal([...environment.range('shapes', {})].length, 3)
  })

  it('a writer that opens a store goes on behind the shapes that are there', () => {
    const environment = new MemoryEnvironment(['shapes', 'words'])
    const first = new BodyCodec(environment)
    const encoded = Uint8Array.from(first.encode({ a: 1 }))
    commitRows(first, environment)
    const second = new BodyCodec(environment)
    assert.deepEqual(Uint8Array.from(second.encode({ a: 1 })), encoded)
    second.encode({ b: 1 })
    assert.equal(commitRows(second, environment), 1)
    assert.deepEqual(first.decode(second.encode({ b: 2 })), { b: 2 })
  })

  it('a word is written with the first body that uses it', () => {
    const environment = new MemoryEnvironment(['shapes', 'words'])
    const codec = new BodyCodec(environment)
    for (let i = 0; i < 4; i++) codec.encode({ a: 'often' })
    assert.equal(commitRows(codec, environment), 2)
    const bytes = Uint8Array.from(codec.encode({ a: 'often' }))
    assert.equal(commitRows(codec, environment), 0)
    assert.deepEqual(new BodyCodec(environment).decode(bytes), { a: 'often' })
    assert.deepEqual(Uint8Array.from(new BodyCodec(environment).encode({ a: 'often' })), bytes)
  })
})
