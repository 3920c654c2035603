import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifierFor, defaultClassifier, loadModel } from '../../../../engine/domain/learn/registry.js'
import { ModelWriter } from '../../../../engine/domain/learn/model-bytes.js'

test('a model is opened by the kind that its bytes start with', () => {
  const examples = [0, 1].map((label) => ({ values: [`value-${label}`], label, weight: 1 }))
  const set = { points: ['a'], labelCount: 2, examples, background: [], seed: 1 }
  const model = loadModel(defaultClassifier.train(set, () => true))
  assert.equal(model.summary.kind, defaultClassifier.kind)
  assert.equal(classifierFor(defaultClassifier.kind), defaultClassifier)
})

test('a kind that nobody knows, and a newer version of one, is refused by name', () => {
  for (const kind of ['unknown/1', 'pooled/2'])
    assert.throws(() => loadModel(new ModelWriter(kind).seal()), new RegExp(`no classifier of kind "${kind}"`))
  assert.throws(() => classifierFor('constructor'), /no classifier/)
})
