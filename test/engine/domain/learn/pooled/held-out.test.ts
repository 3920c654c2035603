import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Example } from '../../../../../engine/domain/learn/classifier.js'
import { holdOut, type HeldOut } from '../../../../../engine/domain/learn/pooled/held-out.js'
import { ExampleView } from '../../../../../engine/domain/learn/pooled/nearest.js'
import { recallLimit } from '../../../../../engine/domain/learn/pooled/recall.js'
import { SeededRandom } from '../../../../../engine/rng.js'
import { codeSet, wholeStage } from '../../../../support/learning-table.js'

/** So many examples with unlike values, every tenth of label 1, and `rare` of label 2 at the end. */
function examplesOf(count: number, rare: number): Example[] {
  const random = new SeededRandom(4)
  return Array.from({ length: count }, (_, i): Example => {
    const label = i >= count - rare ? 2 : i % 10 === 0 ? 1 : 0
    return { values: [`kind ${label} ${random.below(3)}`, random.below(1e6)], label, weight: 1 }
  })
}

function hold(examples: readonly Example[], seed = 1): HeldOut | null {
  const { table, encoder } = codeSet({ points: ['kind', 'size'], labelCount: 3, examples, background: [], seed: 1 })
  const view = new ExampleView(examples, encoder, (example) => (examples[example] as Example).label)
  const weights = new Float64Array(examples.length).fill(1)
  return holdOut({ table, view, weights, seed, nearestLimit: recallLimit }, wholeStage)
}

test('of some hundred examples each is held out once, but for those of a label that would not be known', () => {
  const examples = examplesOf(120, 2)
  const held = hold(examples)
  assert.ok(held !== null)
  assert.deepEqual(
    [...held.examples],
    Array.from({ length: 118 }, (_, i) => i),
  )
  assert.equal(held.foldCount, 3)
  assert.equal(held.allLabels, false)
})

test('of more than a thousand the latest third of each label is held out against what came before', () => {
  const examples = examplesOf(1_020, 0)
  const held = hold(examples)
  assert.ok(held !== null)
  assert.equal(held.foldCount, 1)
  assert.equal(held.allLabels, true)
  assert.equal(held.examples.length, 340)
  assert.ok((held.examples[0] as number) >= 679, `the first is ${held.examples[0]}`)
})

test('of a dozen each is held out once as well, a few at a time, so that what is left is nearly all', () => {
  const examples = examplesOf(12, 2)
  const held = hold(examples)
  assert.ok(held !== null)
  // The label with one example of the first ten, and that with two, are known to all.
  assert.deepEqual([...held.examples], [1, 2, 3, 4, 5, 6, 7, 8, 9])
  for (let fold = 0; fold < held.foldCount; fold++) assert.ok(held.folds.filter((one) => one === fold).length <= 2)
})

test('of a handful none is held out', () => {
  assert.equal(hold(examplesOf(7, 0)), null)
})

test('another seed holds out the same, and one example more hardly anything else', () => {
  const examples = examplesOf(120, 0)
  const [first, again, more] = [hold(examples), hold(examples, 7), hold([...examplesOf(1, 0), ...examples])]
  assert.ok(first !== null && again !== null && more !== null)
  assert.deepEqual(again.folds, first.folds)
  const moved = first.folds.filter((fold, i) => more.folds[i + 1] !== fold)
  assert.ok(moved.length <= 6, `${moved.length} of 120 are in another fold`)
})
