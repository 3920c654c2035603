import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Example, TrainingSet } from '../../../engine/learn/classifier.js'
import { hashedLogistic } from '../../../engine/learn/hashed-logistic.js'
import { SeededRandom } from '../../../engine/random.js'
import { classifierContract } from '../../contracts/classifier.js'

classifierContract('hashed logistic', hashedLogistic)

test('what two points tell only together is learned', () => {
  const random = new SeededRandom(1)
  const examples = Array.from({ length: 800 }, (): Example => {
    const a = random.below(4)
    const b = random.below(4)
    return { values: [`rule-${a}`, `host-${b}`, random.below(1000)], label: (a + b) % 2, weight: 1 }
  })
  const set: TrainingSet = { points: ['rule', 'host', 'n'], labelCount: 2, examples, background: [], seed: 1 }
  const model = hashedLogistic.load(hashedLogistic.train(set, () => true))
  const probabilities = new Float64Array(2)
  for (let a = 0; a < 4; a++) {
    for (let b = 0; b < 4; b++) {
      model.predict([`rule-${a}`, `host-${b}`, 5], probabilities)
      assert.ok((probabilities[(a + b) % 2] as number) > 0.8)
    }
  }
})

test('a model of many different values stays far below 20 MB', () => {
  const random = new SeededRandom(2)
  const examples = Array.from({ length: 6_000 }, (_, i): Example => {
    const values = Array.from({ length: 16 }, (_, point) => `value-${point}-${random.nextUint32()}`)
    return { values, label: i % 3, weight: 1 }
  })
  const points = Array.from({ length: 16 }, (_, i) => `point-${i}`)
  const bytes = hashedLogistic.train({ points, labelCount: 3, examples, background: [], seed: 1 }, () => true)
  assert.ok(bytes.length < 4_000_000, `${bytes.length} bytes`)
})

test('equal events with contrary labels come out in the middle', () => {
  const examples = Array.from({ length: 200 }, (_, i): Example => ({ values: ['same', 1], label: i % 2, weight: 1 }))
  const set: TrainingSet = { points: ['a', 'b'], labelCount: 3, examples, background: [], seed: 9 }
  const model = hashedLogistic.load(hashedLogistic.train(set, () => true))
  const probabilities = new Float64Array(3)
  model.predict(['same', 1], probabilities)
  assert.ok(Math.abs((probabilities[0] as number) - 0.5) < 0.02)
  assert.equal(probabilities[2], 0)
})
