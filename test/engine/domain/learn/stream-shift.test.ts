import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  densityRatio,
  freshShift,
  hasShifted,
  seeScore,
  shiftShare,
  type ShiftState,
} from '../../../../engine/domain/learn/stream-shift.js'
import { SeededRandom } from '../../../../engine/rng.js'

const evidence = { examples: 100, labels: 3 }

/** Scores of known events: minus the logarithm of a tail share. */
function known(count: number, { state = freshShift(), scale = 1 } = {}): ShiftState {
  const random = new SeededRandom(1)
  for (let i = 0; i < count; i++) seeScore(state, -scale * Math.log(1 - random.nextFloat()))
  return state
}

describe('a stream', () => {
  it('of known events is not doubted', () => {
    const state = known(5_000)
    assert.equal(hasShifted(state), false)
    for (const score of [0, 1, 3, 200]) assert.equal(shiftShare(state, score, evidence), 0)
  })

  it('of a few unusual events has not moved', () => {
    const state = freshShift()
    for (let i = 0; i < 2; i++) seeScore(state, 2.5)
    assert.equal(hasShifted(state), false)
    assert.equal(shiftShare(freshShift(), 9, evidence), 0)
  })

  it('of equal events with the least score has not moved', () => {
    const state = freshShift()
    for (let i = 0; i < 2_000; i++) seeScore(state, 0)
    assert.equal(hasShifted(state), false)
  })

  it('that has moved makes answers to its unusual events less sure, and to no others', () => {
    const state = known(1_000, { scale: 2 })
    assert.equal(hasShifted(state), true)
    assert.equal(shiftShare(state, 0.5, evidence), 0)
    const shares = [1.5, 2.5, 3.5, 5.5].map((score) => shiftShare(state, score, evidence))
    shares.forEach((share, i) => assert.ok(share > (shares[i - 1] ?? 0) && share < 0.5, `${shares}`))
    assert.ok(shiftShare(state, 3.5, { ...evidence, examples: 10_000 }) < (shares[2] as number) / 20)
  })

  it('counts examples by the ratio of recent to known events', () => {
    const state = freshShift()
    for (let i = 0; i < 4_000; i++) seeScore(state, i % 2 === 0 ? 3.5 : 0.1)
    const ratio = densityRatio(state, 3.5)
    assert.ok(Math.abs(ratio - 0.5 / Math.exp(-3)) < 1, `${ratio}`)
    const few = (0.3 * 3) / (100 / ratio + 3)
    const share = shiftShare(state, 3.5, evidence)
    assert.ok(Math.abs(1 - (1 - share) * (1 - 0.9 / 103) - few) < 1e-9)
  })

  it('that is as before again is no longer doubted', () => {
    const state = known(8_000, { state: known(1_000, { scale: 2 }) })
    assert.equal(hasShifted(state), false)
  })
})
