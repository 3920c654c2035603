import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { freshRuleDrift, seeRule, type RuleDrift } from '../../../../engine/domain/learn/rule-drift.js'
import { SeededRandom } from '../../../../engine/rng.js'

/** A stream in which the rule changes this share of the answers; returns after how many of them it is off, or -1. */
function play(
  state: RuleDrift,
  share: number,
  { events = 1_000, usual = 0.1, seed = 1, from = 1 }: Readonly<Record<string, number>> = {},
): number {
  const random = new SeededRandom(seed)
  let off = -1
  for (let i = 0; i < events; i++) {
    seeRule(state, { isChanged: random.nextFloat() < share, usual, micros: from + i })
    if (state.isOff && off < 0) off = i
  }
  return off
}

describe('a rule for macro F1', () => {
  it('is used while it changes about as many answers as in its training', () => {
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8])
      for (const share of [0, 0.1, 0.18])
        assert.equal(play(freshRuleDrift(), share, { events: 5_000, seed }), -1, `share ${share}, seed ${seed}`)
  })

  it('is off soon where it would change far more, and says since when', () => {
    const state = freshRuleDrift()
    const off = play(state, 0.6)
    assert.ok(off >= 49 && off < 100, String(off))
    assert.deepEqual([state.isOff, state.sinceMicros], [true, off + 1])
  })

  it('is used again when recent events are like those of the training', () => {
    const state = freshRuleDrift()
    play(state, 0.6)
    assert.equal(state.isOff, true)
    play(state, 0.1, { events: 1_500, seed: 2 })
    assert.deepEqual([state.isOff, state.sinceMicros], [false, 0])
  })

  it('does not go to and fro on a stream near the bound', () => {
    const state = freshRuleDrift()
    play(state, 0.6)
    const random = new SeededRandom(3)
    let changes = 0
    for (let i = 0; i < 20_000; i++) {
      const before = state.isOff
      seeRule(state, { isChanged: random.nextFloat() < 0.2, usual: 0.1, micros: i })
      if (state.isOff !== before) changes++
    }
    assert.ok(changes <= 3, String(changes))
  })

  it('is not off for a burst of a few events, nor where it has to change nearly all', () => {
    assert.equal(play(freshRuleDrift(), 1, { events: 49 }), -1)
    assert.equal(play(freshRuleDrift(), 1, { usual: 0.9 }), -1)
  })

  it('goes on from what was stored as if it had not stopped (S17)', () => {
    const whole = freshRuleDrift()
    const first = freshRuleDrift()
    for (const state of [whole, first]) play(state, 0.3, { events: 120 })
    const restored = JSON.parse(JSON.stringify(first)) as RuleDrift
    for (const state of [whole, restored]) play(state, 0.3, { events: 200, seed: 2, from: 200 })
    assert.deepEqual(restored, whole)
  })
})
