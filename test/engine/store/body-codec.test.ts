import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SeededRandom } from '../../../engine/random.js'
import { BodyCodec, pack, unpack } from '../../../engine/store/body-codec.js'
import { WriteBatch } from '../../../engine/store/environment.js'
import { MemoryEnvironment } from '../../../engine/store/memory.js'
import { randomObject } from '../../support/engine-json.js'

function commitShapes(codec: BodyCodec, environment: MemoryEnvironment): number {
  const batch = new WriteBatch()
  codec.writeNewShapes(batch)
  environment.commit(batch)
  codec.committed()
  return batch.size
}

describe('body codec', () => {
  for (const seed of [1, 2]) {
    it(`bodies survive packing, and another reader that comes later reads them, seed ${seed}`, () => {
      const random = new SeededRandom(seed)
      const environment = new MemoryEnvironment(['shapes'])
      const writer = new BodyCodec(environment)
      const reader = new BodyCodec(environment)
      for (let round = 0; round < 40; round++) {
        const bodies = Array.from({ length: 5 }, () => randomObject(random))
        const packed = bodies.map((body) => Uint8Array.from(pack(writer.shape(body))))
        commitShapes(writer, environment)
        assert.deepEqual(packed.map((bytes) => reader.unshape(unpack(bytes))), bodies)
      }
      const body = randomObject(random)
      const packed = pack(writer.shape(body))
      commitShapes(writer, environment)
      assert.deepEqual(new BodyCodec(environment).unshape(unpack(packed)), body)
    })
  }

  it('a shape is written once, and again only where its commit failed', () => {
    const environment = new MemoryEnvironment(['shapes'])
    const codec = new BodyCodec(environment)
    codec.shape({ a: { b: 1 } })
    const lost = new WriteBatch()
    codec.writeNewShapes(lost)
    assert.equal(lost.size, 2)
    codec.shape({ c: 1 })
    assert.equal(commitShapes(codec, environment), 3)
    codec.shape({ a: { b: 2 } })
    assert.equal(commitShapes(codec, environment), 0)
    assert.equal([...environment.range('shapes', {})].length, 3)
  })

  it('a writer that opens a store goes on behind the shapes that are there', () => {
    const environment = new MemoryEnvironment(['shapes'])
    const first = new BodyCodec(environment)
    const shaped = first.shape({ a: 1 })
    commitShapes(first, environment)
    const second = new BodyCodec(environment)
    assert.deepEqual(second.shape({ a: 1 }), shaped)
    second.shape({ b: 1 })
    assert.equal(commitShapes(second, environment), 1)
    assert.deepEqual(first.unshape(second.shape({ b: 2 })), { b: 2 })
  })

  it('a body is as stored what it will be when it is read', () => {
    const codec = new BodyCodec(new MemoryEnvironment(['shapes']))
    const body = JSON.parse('{"zero":-0,"half":"x\\ud800","list":[-0.0,"\\udfff"],"big":1e400}') as Record<string, unknown>
    const stored = codec.asStored(codec.shape(body))
    assert.deepEqual(codec.asStored(codec.shape(stored)), stored)
    assert.deepEqual(codec.asStored(codec.shape(body)), stored)
    assert.ok(Object.is(stored['zero'], 0))
  })

  it('the first bytes are left to the caller', () => {
    for (const reserved of [0, 1, 24, 32, 255]) {
      const bytes = pack(['x', 1], reserved)
      bytes.fill(0xff, 0, reserved)
      assert.deepEqual(unpack(bytes.subarray(reserved)), ['x', 1])
    }
  })
})
