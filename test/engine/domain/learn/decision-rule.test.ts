import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accuracyRule, chooseBy, costRule, mostProbable } from '../../../../engine/domain/learn/decision-rule.js'

const among = Int32Array.of(0, 1, 2)

test('the most probable label is one of those with examples, the first of equal ones', () => {
  assert.equal(mostProbable(Float64Array.of(0.1, 0.6, 0.3), Int32Array.of(0, 2)), 2)
  assert.equal(mostProbable(Float64Array.of(0.4, 0.2, 0.4), Int32Array.of(0, 1, 2)), 0)
})

test('the rule of accuracy answers with the most probable label, that of costs with the cheapest', () => {
  const chances = Float64Array.of(0.1, 0.6, 0.3)
  assert.equal(chooseBy(accuracyRule(3), chances, among), 1)
  const costs = [
    [0, 1, 1],
    [1, 0, 1],
    [9, 9, 0],
  ]
  assert.equal(chooseBy(costRule(costs, 3), chances, among), 2)
  assert.equal(chooseBy(costRule(costs, 3), chances, Int32Array.of(0, 1)), 1, 'a label without examples is no answer')
})
