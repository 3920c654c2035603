import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LearnedBelief, learnLessons, noLessons, type LabelledAlert } from '../../../engine/cause/lessons.js'

function labelled(kind: number, isSymptom: boolean, ...precedents: [kind: number, delayMs: number][]): LabelledAlert {
  return { kind, isSymptom, precedents: precedents.map(([earlier, delayMs]) => ({ kind: earlier, side: 0, delayMs, belief: 0.5 })) }
}

describe('lessons', () => {
  it('leave alone what nobody said anything of', () => {
    assert.equal(new LearnedBelief(noLessons).of(1, 2, 0, 0.8), 0.8)
    assert.deepEqual(learnLessons([labelled(2, true)], 60_000, false).pairs, [])
  })

  it('share a symptom out among its pairs, so that the one without an alibi has it', () => {
    const alerts = [
      labelled(9, true, [1, 5_000], [2, 6_000]), labelled(9, false, [2, 5_000]), labelled(9, false, [2, 9_000]), labelled(9, true, [1, 8_000]),
      labelled(9, true, [1, 8_000], [2, 2_000]),
    ]
    const learned = new LearnedBelief(learnLessons(alerts, 60_000, false))
    assert.ok(learned.of(1, 9, 0, 0.5) > 0.8)
    assert.ok(learned.of(2, 9, 0, 0.5) < 0.35)
  })

  it('move the window to where the labels say that it ends, unless it is set', () => {
    const alerts = Array.from({ length: 20 }, () => [labelled(9, true, [1, 20_000]), labelled(9, false, [1, 100_000])]).flat()
    assert.equal(learnLessons(alerts, 300_000, false).windowMs < 100_000, true)
    assert.equal(learnLessons(alerts, 300_000, true).windowMs, 300_000)
  })

  it('say the same of the same labels', () => {
    const alerts = [labelled(3, true, [1, 1_000], [2, 3_000]), labelled(4, false, [1, 1_000])]
    assert.deepEqual(learnLessons(alerts, 60_000, false), learnLessons(alerts, 60_000, false))
  })
})
