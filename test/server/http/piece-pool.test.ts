import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PiecePool } from '../../../server/http/piece-pool.js'

const KIB = 1024

describe('a pool of pieces', () => {
  it('uses again what was given back', () => {
    const pool = new PiecePool(1024 * KIB)
    const first = pool.copy(Buffer.alloc(100 * KIB, 1))
    pool.giveBack(first)
    const second = pool.copy(Buffer.alloc(70 * KIB, 2))
    assert.equal(second, first)
    assert.ok(second.subarray(0, 70 * KIB).every((byte) => byte === 2))
  })

  it('never gives the same memory twice at once', () => {
    const pool = new PiecePool(1024 * KIB)
    const out = new Set<Buffer>()
    for (let i = 0; i < 200; i++) {
      const piece = pool.copy(Buffer.alloc(((i * 37) % 300) * KIB + 1))
      assert.ok(!out.has(piece))
      out.add(piece)
      if (i % 3 === 0) {
        const [oldest] = out
        out.delete(oldest as Buffer)
        pool.giveBack(oldest as Buffer)
      }
    }
  })

  it('keeps no more than its bound', () => {
    const pool = new PiecePool(64 * KIB)
    const pieces = [1, 2, 3].map(() => pool.copy(Buffer.alloc(64 * KIB)))
    for (const piece of pieces) pool.giveBack(piece)
    const again = [1, 2, 3].map(() => pool.copy(Buffer.alloc(64 * KIB)))
    assert.equal(again.filter((piece) => pieces.includes(piece)).length, 1)
  })
})
