import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PointValues } from '../../../engine/learn/classifier.js'
import { pooled } from '../../../engine/learn/pooled.js'
import { SeededRandom } from '../../../engine/random.js'
import { classifierContract } from '../../contracts/classifier.js'
import { sentenceAbout } from '../../support/sentences.js'

classifierContract('pooled', pooled)

/** The share of 300 texts with the right one of three labels, after 40 labelled ones; `background` events of the stream are known too. */
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
