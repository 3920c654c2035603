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

test('where few labels are wrong, a doubted one is less surely wrong', () => {
  const clean = Array.from({ length: 200 }, (_, at) =>
    answer(at, at % 2, at % 2 === 0 ? 0.9 : 0.1, at % 2 === 0 ? 0.1 : 0.9),
  )
  const noisy = clean.map((one, at) => (at % 5 === 0 ? { ...one, label: 1 - one.label } : one))
  const doubted = answer(200, 0, 0.3, 0.7)
  const wrongOf = (all: HeldOutAnswer[]) =>
    doubtedLabels([...all, doubted], 2).find(({ example }) => example === 200)?.wrong
  assert.ok((wrongOf(clean) as number) < (wrongOf(noisy) as number))
})

test('a label without another one is not doubted', () => {
  assert.deepEqual(doubtedLabels([answer(0, 0, 0.5, 0.5)], 2), [])
})
