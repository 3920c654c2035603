/** A stored model answers as it did when it was made, whatever the learner has become since. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../../../../engine/domain/learn/registry.js'
import { readFixture, unpackBytes } from '../../../fixtures/files.js'
import { answerTo, type ModelFixture } from '../../../fixtures/model.js'

function close(ours: number, then: number, what: string): void {
  assert.ok(Math.abs(ours - then) < 1e-8, `${what}: ${ours}, was ${then}`)
}

test('a stored model of version 1 answers as it did', () => {
  const { summary, answers, bytes } = readFixture('model-1') as ModelFixture
  assert.equal(summary.kind, 'pooled/1')
  const model = loadModel(unpackBytes(bytes))
  assert.deepEqual(model.summary, summary)
  const probabilities = new Float64Array(3)
  for (const then of answers) {
    const what = JSON.stringify(then.values)
    const now = answerTo(model, then.values)
    close(now.outlierScore, then.outlierScore, `outlier score of ${what}`)
    assert.equal(now.label, then.label, what)
    model.predict(then.values, probabilities)
    then.probabilities.forEach((probability, k) => {
      close(now.probabilities[k] as number, probability, `label ${k} of ${what}`)
      close(probabilities[k] as number, probability, `label ${k} of ${what}, predicted`)
    })
  }
})

test('a stored model answers with the same bits when it is used often, by WebAssembly, as when it was opened', () => {
  const { answers, bytes } = readFixture('model-1') as ModelFixture
  const model = loadModel(unpackBytes(bytes))
  const ask = (): unknown[] => answers.map(({ values }) => answerTo(model, values))
  const opened = ask()
  for (let i = 0; i < 300; i++) ask()
  assert.deepEqual(ask(), opened)
})

test('a stored model of version 1 has a random forest, which has a say in its answers', () => {
  const { answers, bytes } = readFixture('model-1') as ModelFixture
  const { members } = loadModel(unpackBytes(bytes)).steps(answers[0]?.values ?? [])
  const forest = members.find(({ name }) => name === 'random forest')
  assert.ok(forest !== undefined && forest.weight > 0 && new Set(forest.probabilities).size > 1)
})
