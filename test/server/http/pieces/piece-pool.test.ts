import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { PiecePool } from '../../../../server/http/pieces/piece-pool.js'

const KIB = 1024

describe('a pool of pieces', () => {
  it('uses again what was given back', () => {
    const pool = new PiecePool(1024 * KIB)
    const first = pool.take(100 * KIB)
    pool.giveBack(first)
    const second = pool.take(70 * KIB)
    assert.equal(second, first)
    assert.ok(second.length >= 100 * KIB)
  })

  it('never gives the same memory twice at once', () => {
    const pool = new PiecePool(1024 * KIB)
    const out = new Set<Buffer>()
    for (let i = 0; i < 200; i++) {
      const piece = pool.take(((i * 37) % 300) * KIB + 1)
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
    const pieces = [1, 2, 3].map(() => pool.take(64 * KIB))
    for (const piece of pieces) pool.giveBack(piece)
    const again = [1, 2, 3].map(() => pool.take(64 * KIB))
    assert.equal(again.filter((piece) => pieces.includes(piece)).length, 1)
  })

  it('keeps less when nothing has been taken for a while', (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] })
    const pool = new PiecePool(256 * KIB, 64 * KIB)
    const give = (): Buffer[] => {
      const pieces = [1, 2, 3, 4].map(() => pool.take(64 * KIB))
      for (const piece of pieces) pool.giveBack(piece)
      return pieces
    }
    const pieces = give()
    context.mock.timers.tick(4_000)
    assert.deepEqual(new Set(give()), new Set(pieces), 'they are in use')
    for (let i = 0; i < 3; i++) context.mock.timers.tick(5_000)
    assert.equal(give().filter((piece) => pieces.includes(piece)).length, 1)
  })
})
