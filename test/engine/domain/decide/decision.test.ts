import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decide, noDecision, type KnownConsensus } from '../../../../engine/domain/decide/decision.js'
import type { Model } from '../../../../engine/domain/learn/classifier.js'
import { defaultClassifier } from '../../../../engine/domain/learn/registry.js'
import { SeededRandom } from '../../../../engine/rng.js'

/** Trained on two of three labels, and on nothing but them. */
function trainedModel(): Model {
  const examples = Array.from({ length: 40 }, (_, i) => ({
    values: [i % 2 === 0 ? 'noisy' : 'vault', `u${i % 5}`],
    label: i % 2,
    weight: 1,
  }))
  const set = { points: ['host', 'user'], labelCount: 3, examples, background: [], seed: 1 }
  return defaultClassifier.load(defaultClassifier.train(set, () => true))
}

const model = trainedModel()

/** So many of some votes on a bucket are for this label, the others for the next one. */
function votesFor(label: number, count: number, all: number): KnownConsensus {
  const counts = [0, 0, 0]
  counts[label] = count
  counts[(label + 1) % 3] = all - count
  return { label, counts, isSettled: false }
}

function decided(values: readonly (string | null)[], known: KnownConsensus | null = null, version = 7) {
  return decide({ model, version, probabilities: new Float64Array(3) }, values, known)
}

describe('a decision', () => {
  it('of the model is its most likely label, with that probability as confidence', () => {
    const probabilities = new Float64Array(3)
    for (const values of [
      ['noisy', 'u1'],
      ['vault', 'u2'],
      ['noisy', 'never seen'],
      [null, null],
    ]) {
      model.predict(values, probabilities)
      const best = Math.max(...probabilities)
      const { label, confidence, source, modelVersion } = decided(values)
      assert.equal(probabilities[label], best)
      assert.equal(confidence, Math.round(best * 10_000))
      assert.deepEqual([source, modelVersion], ['model', 7])
    }
  })

  it('of the knowledge base is a settled consensus, whatever the model thinks', () => {
    for (const label of [0, 1, 2]) {
      const { label: answer, source } = decided(['noisy', 'u1'], { ...votesFor(label, 1, 1), isSettled: true })
      assert.deepEqual([answer, source], [label, 'knowledge_base'])
    }
  })

  it('of many votes is their majority, with their share as confidence; the model has its say on few', () => {
    const many = decided(['noisy', 'u1'], votesFor(1, 60, 100))
    assert.equal(many.label, 1)
    assert.ok(many.confidence > 5_800 && many.confidence <= 6_000, `${many.confidence}`)
    assert.equal(decided(['noisy', 'u1'], { label: 1, counts: [1, 2, 0], isSettled: false }).label, 0)
    assert.equal(decided(['noisy', 'u1'], { label: 1, counts: [1, 2, 0], isSettled: true }).label, 1)
    assert.equal(decided(['noisy', 'u1'], votesFor(1, 1, 1)).label, 1, 'votes that agree are never outvoted')
  })

  it('is surer the more votes agree, and less sure the more do not', () => {
    const confidence = (count: number, all: number): number =>
      decided(['vault', 'u1'], { ...votesFor(0, count, all), isSettled: true }).confidence
    assert.ok(confidence(5, 5) > confidence(2, 2))
    assert.ok(confidence(3, 4) < confidence(4, 4))
    assert.ok(confidence(2, 3) > confidence(1, 3))
  })

  it('of a single vote against a model that is sure is of low confidence', () => {
    assert.ok(decided(['noisy', 'u1']).confidence > 9_000)
    assert.ok(decided(['noisy', 'u1'], { ...votesFor(2, 1, 1), isSettled: true }).confidence < 6_000)
  })

  it('never names a label without an example, and its confidence is a percentage', () => {
    const random = new SeededRandom(1)
    for (let i = 0; i < 500; i++) {
      const values = [
        random.pick(['noisy', 'vault', null, `h${i}`, '']),
        random.pick([null, `u${random.below(9)}`, 'x'.repeat(4_000)]),
      ]
      const known = random.below(2) === 0 ? null : votesFor(random.below(3), 1 + random.below(3), 3)
      const { label, confidence, outlierScore, outlier } = decided(values, known)
      assert.ok(known !== null || label === 0 || label === 1)
      assert.ok(Number.isInteger(confidence) && confidence >= 0 && confidence <= 10_000)
      assert.ok(outlierScore >= 0)
      assert.equal(outlier, known === null && outlierScore >= model.summary.outlierThreshold)
    }
  })

  it('is the same for the same model, values and votes', () => {
    const known = votesFor(1, 2, 3)
    assert.deepEqual(decided(['noisy', 'u1'], known), decided(['noisy', 'u1'], known))
    const other = { model: trainedModel(), version: 7, probabilities: new Float64Array(3) }
    assert.deepEqual(decide(other, ['vault', 'new'], null), decided(['vault', 'new']))
  })

  it('that is none has no label, no confidence and no source', () => {
    assert.deepEqual(noDecision, {
      label: -1,
      confidence: 0,
      outlier: false,
      outlierScore: 0,
      source: 'none',
      modelVersion: 0,
    })
  })
})
