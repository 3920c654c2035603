import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Slab } from '../../../../engine/actor/buckets/slab.js'

describe('a slab', () => {
  it('gives pieces that do not overlap, all zero', () => {
    const slab = new Slab()
    const pieces = Array.from({ length: 10_000 }, (_, i) => slab.take(1 + (i % 40)))
    assert.ok(pieces.every((piece) => piece.every((byte) => byte === 0)))
    pieces.forEach((piece, i) => piece.fill(i % 251))
    pieces.forEach((piece, i) => assert.ok(piece.length === 1 + (i % 40) && piece.every((byte) => byte === i % 251)))
  })

  it('copies', () => {
    const given = Buffer.from('bytes')
    const copy = new Slab().copy(given)
    given.fill(0)
    assert.equal(copy.toString(), 'bytes')
  })
})
