import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { limits } from '../../../../engine/limits.js'
import { SpareTurns } from '../../../../engine/runtime/turn/spare-turns.js'
import { Turn } from '../../../../engine/runtime/turn/turn.js'

describe('spare turns', () => {
  it('are one bounded store for all shards, and are used again', () => {
    const spares = new SpareTurns()
    const turns = Array.from({ length: 3 * limits.spareTurnsMax }, () => new Turn())
    for (const turn of turns) spares.put(turn)
    assert.equal(spares.count, limits.spareTurnsMax)
    assert.equal(spares.take(100), turns[limits.spareTurnsMax - 1])
    assert.equal(spares.count, limits.spareTurnsMax - 1)
    spares.forget()
    assert.equal(spares.count, 0)
  })

  it('have room for the message that asks for one', () => {
    const spares = new SpareTurns()
    spares.put(new Turn())
    assert.equal(spares.take(2 * limits.turnBytesMax).fits(2 * limits.turnBytesMax), true)
  })
})
