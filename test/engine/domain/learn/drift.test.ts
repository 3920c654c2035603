import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  chosenShare,
  doubtShare,
  freshDrift,
  seeConfidence,
  seeFeedback,
  withDoubt,
  type DriftState,
} from '../../../../engine/domain/learn/drift.js'
import { SeededRandom } from '../../../../engine/rng.js'

interface JudgedOptions {
  readonly state?: DriftState
  readonly seed?: number
  readonly isChosen?: boolean
}

/** So much feedback on a model that says `confidence` and is right as often as `right`. */
function judged(
  count: number,
  confidence: number,
  right: number,
  { state = freshDrift(), seed = 1, isChosen = false }: JudgedOptions = {},
): DriftState {
  const random = new SeededRandom(seed)
  for (let i = 0; i < count; i++) {
    seeFeedback(state, { confidence, base: 0.4, right: random.nextFloat() < right, isChosen }, 10 + i)
  }
  return state
}

describe('drift', () => {
  it('is not found in a model that is right as often as it says', () => {
    const wrong = Array.from({ length: 20 }, (_, seed) => judged(400, 0.9, 0.9, { seed })).filter(
      ({ ageing }) => ageing !== 'no',
    )
    assert.ok(wrong.length <= 1, `${wrong.length} of 20`)
    assert.equal(doubtShare(judged(400, 0.9, 0.9)), 0)
  })

  it('is found in one that is surer than it is right, and doubt makes up for the difference', () => {
    const state = judged(300, 0.95, 0.7)
    assert.equal(state.ageing, 'feedback')
    assert.ok(state.sinceMicros >= 10)
    const told = withDoubt(0.95, 0.4, doubtShare(state))
    assert.ok(Math.abs(told - 0.7) < 0.1, `${told}`)
  })

  it('is found where confidence falls, without any feedback', () => {
    const state = freshDrift()
    const random = new SeededRandom(3)
    for (let i = 0; i < 1_000; i++) seeConfidence(state, 0.85 + 0.15 * random.nextFloat(), i)
    assert.equal(state.ageing, 'no')
    for (let i = 0; i < 300; i++) seeConfidence(state, 0.6 + 0.15 * random.nextFloat(), 1_000 + i)
    assert.equal(state.ageing, 'confidence')
    assert.ok(doubtShare(state) > 0.05)
  })

  it('keeps which share of the feedback is on events that analysts picked', () => {
    assert.equal(chosenShare(freshDrift()), 0)
    const state = judged(200, 0.9, 0, { isChosen: true })
    assert.ok(Math.abs(chosenShare(state) - 1) < 1e-9)
    judged(300, 0.9, 0.9, { state })
    const share = chosenShare(state)
    assert.ok(share > 0 && share < 0.5, `${share}`)
    // What was stored before has no such count.
    const { chosen: _, ...older } = state
    assert.equal(chosenShare(older), 0)
  })

  it('passes when feedback says that the model is right again', () => {
    const state = judged(300, 0.95, 0.6)
    const before = doubtShare(state)
    judged(600, 0.95, 0.95, { state })
    assert.ok(doubtShare(state) < before / 4)
  })

  it('gives a share between 0 and 0.9, whatever comes', () => {
    const random = new SeededRandom(4)
    const state = freshDrift()
    for (let i = 0; i < 5_000; i++) {
      seeConfidence(state, random.nextFloat(), i)
      if (i % 3 === 0)
        seeFeedback(
          state,
          {
            confidence: random.nextFloat(),
            base: random.nextFloat(),
            right: random.below(2) === 0,
            isChosen: i % 2 === 0,
          },
          i,
        )
      const share = doubtShare(state)
      assert.ok(share >= 0 && share <= 0.9)
    }
  })
})
