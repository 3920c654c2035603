import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doubtedLabels, type HeldOutAnswer } from '../../../../../engine/domain/learn/selection/doubted-labels.js'

const answer = (example: number, label: number, ...probabilities: number[]): HeldOutAnswer => ({
  example,
  label,
  probabilities: Float64Array.from(probabilities),
})

test('the label that the model contradicts most comes first, with what it would say', () => {
  const answers = [
    ...Array.from({ length: 10 }, (_, at) => answer(at, at % 2, at % 2 === 0 ? 0.9 : 0.1, at % 2 === 0 ? 0.1 : 0.9)),
    answer(10, 1, 0.95, 0.05),
    answer(11, 0, 0.4, 0.6),
  ]
  const [first, second] = doubtedLabels(answers, 2)
  assert.deepEqual([first?.example, first?.suggested, second?.example], [10, 0, 11])
  assert.ok((first?.wrong ?? 0) > 0.6 && (second?.wrong ?? 1) < (first?.wrong ?? 0))
})

test('a rare label is measured against what is usual for it', () => {
  // The model gives the rare label 0.3 at most. An example of it with 0.3 is as sure as such examples are.
  const answers = [
    ...Array.from({ length: 20 }, (_, at) => answer(at, 0, 0.9, 0.1)),
    ...Array.from({ length: 5 }, (_, at) => answer(20 + at, 1, 0.7, 0.3)),
    answer(25, 0, 0.6, 0.4),
  ]
  assert.equal(doubtedLabels(answers, 2)[0]?.example, 25)
})

test('a label without another one is not doubted', () => {
  assert.deepEqual(doubtedLabels([answer(0, 0, 0.5, 0.5)], 2), [])
})
