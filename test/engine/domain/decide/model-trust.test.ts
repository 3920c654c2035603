import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Decision } from '../../../../engine/domain/decide/decision.js'
import {
  freshTrust,
  learnFromFeedback,
  seeDecision,
  trustBasisOf,
  withTrust,
  type ModelTrust,
  type TrustTerms,
} from '../../../../engine/domain/decide/model-trust.js'
import { SeededRandom } from '../../../../engine/rng.js'

const terms: TrustTerms = {
  outlierRate: 0.02,
  modelThreshold: -Math.log(0.02),
  labelCounts: [10, 5, 5],
  examples: 20,
}

function decisionOf(outlierScore: number, confidence = 9_500): Decision {
  return {
    label: 0,
    confidence,
    outlier: outlierScore >= terms.modelThreshold,
    outlierScore,
    source: 'model',
    modelVersion: 1,
  }
}

/** A decision as it comes in with the stream. */
function watched(decision: Decision, state: ModelTrust, withTerms: TrustTerms, micros: number): Decision {
  const answer = withTrust(decision, state, withTerms)
  seeDecision(decision, state, withTerms, micros)
  return answer
}

describe('the watch over a model', () => {
  it('leaves the knowledge base and what is undecided alone', () => {
    const state = freshTrust()
    for (const source of ['knowledge_base', 'none'] as const) {
      const decision: Decision = { ...decisionOf(9), source, outlier: false }
      assert.equal(watched(decision, state, terms, 1), decision)
    }
    assert.deepEqual(state, freshTrust())
  })

  it('flags by the rate of the job', () => {
    assert.equal(watched(decisionOf(3.5), freshTrust(), terms, 1).outlier, false)
    assert.equal(watched(decisionOf(3.5), freshTrust(), { ...terms, outlierRate: 0.05 }, 1).outlier, true)
    assert.equal(watched(decisionOf(4.2), freshTrust(), { ...terms, outlierRate: 0.005 }, 1).outlier, false)
  })

  it('is not moved by a decision that is only made again', () => {
    const state = freshTrust()
    for (let i = 0; i < 50; i++) watched(decisionOf(6), state, terms, i)
    const before = JSON.stringify(state)
    withTrust(decisionOf(1), state, terms)
    withTrust(decisionOf(1), state, { ...terms, outlierRate: 0.1 })
    assert.equal(JSON.stringify(state), before)
  })

  it('begins another anchor where the rate changes', () => {
    const state = freshTrust()
    for (let i = 0; i < 50; i++) watched(decisionOf(6), state, terms, i)
    watched(decisionOf(1), state, { ...terms, outlierRate: 0.1 }, 51)
    assert.deepEqual([state.anchor?.rate, state.anchor?.count], [0.1, 1])
  })

  it('lowers the confidence of an ageing model towards the base rate, and says that it did', () => {
    const state = freshTrust()
    const random = new SeededRandom(1)
    for (let i = 0; i < 200; i++) {
      const label = random.nextFloat() < 0.6 ? 0 : 1
      learnFromFeedback(decisionOf(1), state, { label, labelCounts: terms.labelCounts, isChosen: false, micros: i })
    }
    const answer = watched(decisionOf(1), state, terms, 201)
    assert.equal(answer.source, 'ageing_model')
    assert.ok(answer.confidence < 7_500 && answer.confidence > 4_500, `${answer.confidence}`)
    assert.equal(answer.label, 0)
  })

  it('lowers the confidence in unusual answers where the stream has moved, before any feedback', () => {
    const state = freshTrust()
    const random = new SeededRandom(4)
    for (let i = 0; i < 100; i++) watched(decisionOf(random.nextFloat()), state, terms, i)
    assert.equal(watched(decisionOf(3.2), state, terms, 101).confidence, 9_500)
    for (let i = 0; i < 100; i++) watched(decisionOf(3 + random.nextFloat()), state, terms, 102 + i)
    const [unusual, usual] = [withTrust(decisionOf(3.2), state, terms), withTrust(decisionOf(0.2), state, terms)]
    assert.deepEqual([unusual.source, unusual.label, usual.confidence], ['model', 0, 9_500])
    assert.ok(unusual.confidence < 8_800 && unusual.confidence > 6_000, `${unusual.confidence}`)
  })

  it('goes on from a state that was stored before the stream was watched', () => {
    const { shift: _, ...state } = freshTrust()
    assert.equal(withTrust(decisionOf(3.2), state, terms).confidence, 9_500)
    watched(decisionOf(3.2), state, terms, 1)
    assert.equal((state as ModelTrust).shift?.weight, 1)
  })

  it('answers with the most probable label while the rule for macro F1 is off, with its confidence', () => {
    const ruled = { ...terms, ruleChanges: 0.1 }
    const changed: Decision = { ...decisionOf(0.2, 4_000), unruled: { label: 1, confidence: 6_000 } }
    const state = freshTrust()
    for (let i = 0; i < 49; i++) assert.equal(watched(changed, state, ruled, i).label, 0)
    for (let i = 49; i < 100; i++) watched(changed, state, ruled, i)
    const { label, confidence, source } = withTrust(changed, state, ruled)
    assert.deepEqual([label, confidence, source], [1, 6_000, 'model'])
    const { ruleOff } = trustBasisOf(changed, state, ruled)
    assert.equal(ruleOff, true)
    assert.equal(withTrust(decisionOf(1), state, ruled).label, 0, 'the rule does not change this one')
    const known: Decision = { ...changed, source: 'knowledge_base' }
    assert.equal(withTrust(known, state, ruled), known)
  })

  it('lets a rule be whose usual share of changes is not known', () => {
    const state = freshTrust()
    const changed: Decision = { ...decisionOf(0.2, 4_000), unruled: { label: 1, confidence: 6_000 } }
    for (let i = 0; i < 500; i++) assert.equal(watched(changed, state, terms, i).label, 0)
    assert.equal(state.rule, undefined)
  })

  it('moves the answer of an ageing model without its rule towards the base rate of that answer', () => {
    const ruled = { ...terms, ruleChanges: 0 }
    const changed: Decision = { ...decisionOf(0.2, 4_000), unruled: { label: 1, confidence: 6_000 } }
    const state = freshTrust()
    for (let i = 0; i < 100; i++) watched(changed, state, ruled, i)
    Object.assign(state.drift, { ageing: 'confidence', meanConfidence: 0.9, lateConfidence: 0.4 })
    const { doubt, base } = trustBasisOf(changed, state, ruled)
    assert.deepEqual([doubt, base], [0.5, Math.round((6 / 23) * 1e4) / 1e4])
    assert.deepEqual([withTrust(changed, state, ruled).label, withTrust(changed, state, ruled).confidence], [1, 4_305])
  })

  it('goes on from what was stored as if it had not stopped (S17)', () => {
    const random = new SeededRandom(2)
    const decisions = Array.from({ length: 600 }, () => decisionOf(random.nextFloat() * 6, random.below(10_001)))
    const play = (state: ReturnType<typeof freshTrust>, from: number, to: number): Decision[] =>
      decisions.slice(from, to).map((decision, i) => {
        if (i % 7 === 0) {
          const feedback = { label: i % 3, labelCounts: terms.labelCounts, isChosen: false, micros: i }
          learnFromFeedback(decision, state, feedback)
        }
        return watched(decision, state, terms, i)
      })
    const whole = freshTrust()
    const all = [...play(whole, 0, 301), ...play(whole, 301, 600)]
    const first = freshTrust()
    const before = play(first, 0, 301)
    const restored = JSON.parse(JSON.stringify(first)) as typeof first
    assert.deepEqual([...before, ...play(restored, 301, 600)], all)
    assert.deepEqual(restored, whole)
  })
})
