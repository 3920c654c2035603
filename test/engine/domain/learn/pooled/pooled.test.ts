import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Example, PointValues, TrainingSet } from '../../../../../engine/domain/learn/classifier.js'
import { pooled } from '../../../../../engine/domain/learn/pooled/pooled.js'
import { uniformShareOf } from '../../../../../engine/domain/learn/pooled/uniform-share.js'
import { SeededRandom } from '../../../../../engine/rng.js'
import { classifierContract } from '../../../../contracts/classifier.js'
import { sentenceAbout } from '../../../../support/sentences.js'

classifierContract('pooled', pooled)

/**
 * The share of 300 texts with the right one of three labels, after 40 labelled ones; `background` events of the stream
 * are known too.
 */
function rightOfTexts(background: number): number {
  const random = new SeededRandom(11)
  const textOf = (): { values: PointValues; label: number } => {
    const label = random.below(3)
    return { values: [sentenceAbout(random, label)], label }
  }
  const examples = Array.from({ length: 40 }, () => ({ ...textOf(), weight: 1 }))
  const set = {
    points: ['text'],
    labelCount: 3,
    examples,
    background: Array.from({ length: background }, () => textOf().values),
    seed: 1,
  }
  const model = pooled.load(pooled.train(set, () => true))
  const probabilities = new Float64Array(3)
  let right = 0
  for (let i = 0; i < 300; i++) {
    const { values, label } = textOf()
    model.predict(values, probabilities)
    if (probabilities.indexOf(Math.max(...probabilities)) === label) right++
  }
  return right / 300
}

test('the unlabelled stream says which words of a text mean alike', () => {
  assert.ok(rightOfTexts(500) > 0.9)
  assert.ok(rightOfTexts(0) < 0.7)
})

test('what two points tell only together is learned', () => {
  const random = new SeededRandom(1)
  const examples = Array.from({ length: 800 }, (): Example => {
    const a = random.below(4)
    const b = random.below(4)
    return { values: [`rule-${a}`, `host-${b}`, random.below(1000)], label: (a + b) % 2, weight: 1 }
  })
  const set: TrainingSet = { points: ['rule', 'host', 'n'], labelCount: 2, examples, background: [], seed: 1 }
  const model = pooled.load(pooled.train(set, () => true))
  const probabilities = new Float64Array(2)
  for (let a = 0; a < 4; a++) {
    for (let b = 0; b < 4; b++) {
      model.predict([`rule-${a}`, `host-${b}`, 5], probabilities)
      assert.ok((probabilities[(a + b) % 2] as number) > 0.8)
    }
  }
})

test('equal events with contrary labels come out in the middle', () => {
  const examples = Array.from({ length: 200 }, (_, i): Example => ({ values: ['same', 1], label: i % 2, weight: 1 }))
  const set: TrainingSet = { points: ['a', 'b'], labelCount: 3, examples, background: [], seed: 9 }
  const model = pooled.load(pooled.train(set, () => true))
  const probabilities = new Float64Array(3)
  model.predict(['same', 1], probabilities)
  assert.ok(Math.abs((probabilities[0] as number) - 0.5) < 0.02)
  assert.ok((probabilities[2] as number) < 0.01)
})

test('a model of many different values stays far below 20 MB', () => {
  const random = new SeededRandom(2)
  const examples = Array.from({ length: 800 }, (_, i): Example => {
    const values = Array.from({ length: 16 }, (_, point) => `value-${point}-${random.nextUint32()}`)
    return { values, label: i % 3, weight: 1 }
  })
  const points = Array.from({ length: 16 }, (_, i) => `point-${i}`)
  const bytes = pooled.train({ points, labelCount: 3, examples, background: [], seed: 1 }, () => true)
  assert.ok(bytes.length < 3_200_000, `${bytes.length} bytes`)
})

test('the uniform share is large with few labels and goes with many', () => {
  assert.ok(Math.abs(uniformShareOf(2, 2) - 0.15) < 1e-12)
  assert.ok(uniformShareOf(10_000, 3) < 1e-4)
})
