/** Which values trees see: those that come again among the labelled, and those that the stream has often. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Example } from '../../../../../engine/domain/learn/classifier.js'
import { codeSet } from '../../../../support/learning-table.js'

/** 200 examples, of which one alone has the text `once`; of 1,000 events of the stream so many have it. */
function presentOnce(once: string, often: number): number {
  const texts = ['left', 'right', 'up']
  const examples = Array.from(
    { length: 200 },
    (_, i): Example => ({ values: [i === 7 ? once : (texts[i % 3] as string), i], label: i % 2, weight: 1 }),
  )
  const background = Array.from({ length: 1_000 }, (_, i) => [i < often ? once : (texts[i % 3] as string), i])
  const { table } = codeSet({ points: ['action', 'size'], labelCount: 2, examples, background, seed: 1 })
  const { coder } = table
  coder.code(['never seen', 1])
  const without = coder.present.length
  coder.code([once, 1])
  return coder.present.length - without
}

test('what one of many examples has is no column of the trees', () => {
  assert.equal(presentOnce('seldom', 1), 0)
  assert.equal(presentOnce('seldom', 20), 0)
})

test('but it is where the stream has it as often as five examples would', () => {
  assert.ok(presentOnce('often', 25) > 0)
  assert.ok(presentOnce('often', 500) > 0)
})
