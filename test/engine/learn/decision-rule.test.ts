import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseBy, fitRule } from '../../../engine/learn/decision-rule.js'

const among = Int32Array.from([0, 1])
/** A stream in which one event in ten has 0.4 for the rare label, and the others next to nothing. */
const stream = Float64Array.from({ length: 400 }, (_, i) => {
  const rare = (i >> 1) % 10 === 0 ? 0.4 : 0.01
  return i % 2 === 0 ? 1 - rare : rare
})
const weights = new Float64Array(200).fill(1)

function answer(objective: 'accuracy' | 'macro_f1', rare: number): number {
  return chooseBy(fitRule(objective, stream, weights, among, 2, 0), Float64Array.of(1 - rare, rare), among)
}

test('a rare label is answered below one half for macro F1, and not for accuracy', () => {
  assert.equal(answer('accuracy', 0.4), 0)
  assert.equal(answer('macro_f1', 0.4), 1)
  assert.equal(answer('macro_f1', 0.01), 0)
})

test('without a stream the most probable label is answered', () => {
  const rule = fitRule('macro_f1', new Float64Array(0), new Float64Array(0), among, 2, 0)
  assert.equal(chooseBy(rule, Float64Array.of(0.6, 0.4), among), 0)
})
