import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Side } from '../../../../engine/domain/cause/delays.js'
import { LearnedBelief, learnLessons, noLessons, type LabelledAlert } from '../../../../engine/domain/cause/lessons.js'

function labelled(kind: number, isSymptom: boolean, ...precedents: [kind: number, delayMs: number][]): LabelledAlert {
  return {
    kind,
    isSymptom,
    precedents: precedents.map(([earlier, delayMs]) => ({ kind: earlier, side: 0, delayMs, belief: 0.5 })),
  }
}

describe('lessons', () => {
  it('leave alone what nobody said anything of', () => {
    assert.equal(new LearnedBelief(noLessons).of(1, 2, 0, 0.8), 0.8)
    assert.deepEqual(learnLessons([labelled(2, true)], 60_000, false).pairs, [])
  })

  it('share a symptom out among its pairs, so that the one without an alibi has it', () => {
    const alerts = [
      labelled(9, true, [1, 5_000], [2, 6_000]),
      labelled(9, false, [2, 5_000]),
      labelled(9, false, [2, 9_000]),
      labelled(9, true, [1, 8_000]),
      labelled(9, true, [1, 8_000], [2, 2_000]),
    ]
    const learned = new LearnedBelief(learnLessons(alerts, 60_000, false))
    assert.ok(learned.of(1, 9, 0, 0.5) > 0.8)
    assert.ok(learned.of(2, 9, 0, 0.5) < 0.35)
  })

  it('move the window to where the labels say that it ends, unless it is set', () => {
    const alerts = Array.from({ length: 20 }, () => [
      labelled(9, true, [1, 20_000]),
      labelled(9, false, [1, 100_000]),
    ]).flat()
    assert.equal(learnLessons(alerts, 300_000, false).windowMs < 100_000, true)
    assert.equal(learnLessons(alerts, 300_000, true).windowMs, 300_000)
  })

  /** One kind, on one side of the relation before the alert. */
  function beside(isSymptom: boolean, side: Side, belief: number): LabelledAlert {
    return { kind: 1, isSymptom, precedents: [{ kind: 1, side, delayMs: 4_000, belief }] }
  }

  it('keep the sides of a relation apart where labels differ by them, and together where they do not', () => {
    const differ = new LearnedBelief(
      learnLessons(
        Array.from({ length: 10 }, () => [beside(true, 3, 0.5), beside(false, 2, 0.5)]).flat(),
        60_000,
        false,
      ),
    )
    assert.ok(differ.of(1, 1, 3, 0.5) > 0.9 && differ.of(1, 1, 2, 0.5) < 0.1)
    const alike = learnLessons(
      [...Array.from({ length: 10 }, () => beside(true, 3, 0.5)), beside(true, 2, 0.1)],
      60_000,
      false,
    )
    assert.equal(alike.apart, undefined)
    assert.ok(new LearnedBelief(alike).of(1, 1, 2, 0.1) > 0.9)
  })

  it('teach that one kind follows from itself among those that list each other, which the stream never says', () => {
    assert.equal(new LearnedBelief(noLessons).of(1, 1, 1, 0), 0)
    const learned = new LearnedBelief(
      learnLessons(
        Array.from({ length: 8 }, () => beside(true, 1, 0)),
        60_000,
        false,
      ),
    )
    assert.ok(learned.of(1, 1, 1, 0) > 0.6)
    assert.equal(learned.of(1, 1, 0, 0), 0)
  })

  it('say the same of the same labels', () => {
    const alerts = [labelled(3, true, [1, 1_000], [2, 3_000]), labelled(4, false, [1, 1_000])]
    assert.deepEqual(learnLessons(alerts, 60_000, false), learnLessons(alerts, 60_000, false))
  })
})
