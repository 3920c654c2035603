import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examplesOf, type VotedSubject } from '../../../../engine/domain/learn/voted-examples.js'

const close = (a: number, b: number): void => assert.ok(Math.abs(a - b) < 1e-9, `${a}, ${b}`)

function subject(name: string, events: number, ...labels: readonly number[]): VotedSubject {
  return { values: [name], events, voted: labels.map((label, micros) => ({ micros, label, count: 1 })) }
}

test('a mixed bucket is a soft label: as many examples as voted events, each with its label', () => {
  const examples = examplesOf([subject('a', 600, 0, 0, 0, 1, 1), subject('b', 400, 1)], 1_000, 100)
  const weightOf = (name: string, label: number): number =>
    examples
      .filter(({ values, label: own }) => values[0] === name && own === label)
      .reduce((sum, { weight }) => sum + weight, 0)
  close(weightOf('a', 0) / weightOf('a', 1), 3 / 2)
  assert.ok(weightOf('a', 0) + weightOf('a', 1) > weightOf('b', 1), 'the larger bucket weighs more')
})

test('all weights together are at least the number of voted events', () => {
  const votes = Array.from({ length: 200 }, (_, i) => i % 2)
  const examples = examplesOf([subject('a', 5_000, ...votes), subject('b', 5_000, 0)], 10_000, 1_000)
  close(
    examples.reduce((sum, { weight }) => sum + weight, 0),
    201,
  )
})

test('a vote on a whole bucket stands for the events that it replaced, and the oldest are left out first', () => {
  const whole = { values: ['a'], events: 9, voted: [{ micros: 5, label: 2, count: 7 }] }
  const [only] = examplesOf([whole, subject('b', 9, 0, 1)], 18, 1)
  assert.deepEqual([only?.label, only?.values], [2, ['a']])
})
