import assert from 'node:assert/strict'
import { test } from 'node:test'
import { significantGain, significantlyBest } from '../../../../engine/domain/learn/significant-gain.js'

/** Losses of so many examples, two in turn. */
const losses = (even: number, odd: number, count = 200): number[] =>
  Array.from({ length: count }, (_, i) => (i % 2 === 0 ? even : odd))

test('a gain on every example is sure, one that comes and goes is not', () => {
  assert.ok(significantGain(losses(1, 1), losses(0.9, 0.9), 1) > 19.9)
  assert.ok(significantGain(losses(1, 1), losses(0, 1.95), 1) < 0)
})

test('the usual choice stays where nothing is surely better, and where there are few examples', () => {
  assert.equal(significantlyBest([losses(0, 1.95), losses(1, 1), losses(1.1, 1.1)], 1), 1)
  assert.equal(significantlyBest([losses(0.8, 0.8), losses(1, 1), losses(0.9, 0.9)], 1), 0)
  assert.equal(significantlyBest([losses(0.8, 0.8, 40), losses(1, 1, 40)], 1), 1)
})
