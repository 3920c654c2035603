import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Side } from '../../../../engine/domain/cause/delays.js'
import {
  LinkBelief,
  fitFeedbackWeights,
  noFeedbackWeights,
  type LabelledAlert,
} from '../../../../engine/domain/cause/feedback-weights.js'

function labelled(kind: number, isSymptom: boolean, ...predecessors: [kind: number, delayMs: number][]): LabelledAlert {
  return {
    kind,
    isSymptom,
    predecessors: predecessors.map(([earlier, delayMs]) => ({ kind: earlier, side: 0, delayMs, belief: 0.5 })),
  }
}

describe('feedback weights', () => {
  it('leave alone what nobody said anything of', () => {
    assert.equal(new LinkBelief(noFeedbackWeights).of(1, 2, 0, 0.8), 0.8)
    assert.deepEqual(fitFeedbackWeights([labelled(2, true)], 60_000, false).pairs, [])
  })

  it('share a symptom out among its pairs, so that the one without an alibi has it', () => {
    const alerts = [
      labelled(9, true, [1, 5_000], [2, 6_000]),
      labelled(9, false, [2, 5_000]),
      labelled(9, false, [2, 9_000]),
      labelled(9, true, [1, 8_000]),
      labelled(9, true, [1, 8_000], [2, 2_000]),
    ]
    const linkBelief = new LinkBelief(fitFeedbackWeights(alerts, 60_000, false))
    assert.ok(linkBelief.of(1, 9, 0, 0.5) > 0.8)
    assert.ok(linkBelief.of(2, 9, 0, 0.5) < 0.35)
  })

  it('move the window to where the labels say that it ends, unless it is set', () => {
    const alerts = Array.from({ length: 20 }, () => [
      labelled(9, true, [1, 20_000]),
      labelled(9, false, [1, 100_000]),
    ]).flat()
    assert.equal(fitFeedbackWeights(alerts, 300_000, false).windowMs < 100_000, true)
    assert.equal(fitFeedbackWeights(alerts, 300_000, true).windowMs, 300_000)
  })

  /** One kind, on one side of the relation before the alert. */
  function beside(isSymptom: boolean, side: Side, belief: number): LabelledAlert {
    return { kind: 1, isSymptom, predecessors: [{ kind: 1, side, delayMs: 4_000, belief }] }
  }

  it('keep the sides of a relation apart where labels differ by them, and together where they do not', () => {
    const differ = new LinkBelief(
      fitFeedbackWeights(
        Array.from({ length: 10 }, () => [beside(true, 3, 0.5), beside(false, 2, 0.5)]).flat(),
        60_000,
        false,
      ),
    )
    assert.ok(differ.of(1, 1, 3, 0.5) > 0.9 && differ.of(1, 1, 2, 0.5) < 0.1)
    const alike = fitFeedbackWeights(
      [...Array.from({ length: 10 }, () => beside(true, 3, 0.5)), beside(true, 2, 0.1)],
      60_000,
      false,
    )
    assert.equal(alike.apart, undefined)
    assert.ok(new LinkBelief(alike).of(1, 1, 2, 0.1) > 0.9)
  })

  it('teach that one kind follows from itself among those that list each other, which the stream never says', () => {
    assert.equal(new LinkBelief(noFeedbackWeights).of(1, 1, 1, 0), 0)
    const linkBelief = new LinkBelief(
      fitFeedbackWeights(
        Array.from({ length: 8 }, () => beside(true, 1, 0)),
        60_000,
        false,
      ),
    )
    assert.ok(linkBelief.of(1, 1, 1, 0) > 0.6)
    assert.equal(linkBelief.of(1, 1, 0, 0), 0)
  })

  it('say the same of the same labels', () => {
    const alerts = [labelled(3, true, [1, 1_000], [2, 3_000]), labelled(4, false, [1, 1_000])]
    assert.deepEqual(fitFeedbackWeights(alerts, 60_000, false), fitFeedbackWeights(alerts, 60_000, false))
  })
})
