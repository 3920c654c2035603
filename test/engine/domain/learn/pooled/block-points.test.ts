import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TrainingSet } from '../../../../../engine/domain/learn/classifier.js'
import { chooseLeftOut, setWithout, withoutPoints } from '../../../../../engine/domain/learn/pooled/block-points.js'
import { pooled } from '../../../../../engine/domain/learn/pooled/pooled.js'
import { SeededRandom } from '../../../../../engine/rng.js'
import { wholeStage } from '../../../../support/learning-table.js'

/** Thirty days, each with a label that half of its events have; the kind tells the label of the others. */
function streamOf(count: number): TrainingSet {
  const random = new SeededRandom(3)
  const usual = Array.from({ length: 30 }, () => random.below(2))
  const examples = Array.from({ length: count }, (_, i) => {
    const day = Math.floor((i * 30) / count)
    const kind = random.below(2)
    const label = random.below(2) === 0 ? (usual[day] as number) : kind
    return { values: [`day ${day}`, day, `kind ${kind}`], label, weight: 1 }
  })
  return { points: ['name', 'day', 'kind'], labelCount: 2, examples, background: [], seed: 1 }
}

test('a point that names the time and misleads about the next is left out', () => {
  assert.deepEqual([...chooseLeftOut(streamOf(300), wholeStage)], [0, 1])
})

test('points are kept where they name no time, and where there are few examples', () => {
  const { examples, ...rest } = streamOf(300)
  const mixed = examples.map((_, i) => examples[(i * 7) % 300] as (typeof examples)[number])
  assert.deepEqual([...chooseLeftOut({ ...rest, examples: mixed }, wholeStage)], [])
  assert.deepEqual([...chooseLeftOut(streamOf(60), wholeStage)], [])
})

test('what is left out changes no answer', () => {
  const set = streamOf(300)
  const model = pooled.load(pooled.train(set, () => true))
  const [known, unknown] = [new Float64Array(2), new Float64Array(2)]
  model.predict(['day 3', 3, 'kind 1'], known)
  model.predict(['day 90', 90, 'kind 1'], unknown)
  assert.deepEqual(unknown, known)
})

test('events and sets without points have null there, and stay as they are where nothing is left out', () => {
  const values = ['a', 1, null]
  assert.deepEqual(withoutPoints(values, Int32Array.of(0)), [null, 1, null])
  assert.equal(withoutPoints(values, new Int32Array(0)), values)
  const set = streamOf(9)
  assert.equal(setWithout(set, new Int32Array(0)), set)
  assert.deepEqual(setWithout(set, Int32Array.of(0)).examples[0]?.values[0], null)
})
