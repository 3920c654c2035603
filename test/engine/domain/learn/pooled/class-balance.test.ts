import assert from 'node:assert/strict'
import { test } from 'node:test'
import { balance, fitBalance } from '../../../../../engine/domain/learn/pooled/class-balance.js'
import type { HeldOut } from '../../../../../engine/domain/learn/pooled/held-out.js'

/** Held-out examples of which `rare` in a hundred are of the second of three classes, and none of the third. */
function heldOut(count: number, rare: number, foldCount = 3): HeldOut {
  const examples = Int32Array.from({ length: count }, (_, i) => i)
  return {
    classCount: 3,
    examples,
    classes: examples.map((i) => (i % 100 < rare ? 1 : 0)),
    weights: new Float64Array(count).fill(1),
    folds: new Int32Array(count),
    foldCount,
    chances: new Float64Array(0),
    allLabels: false,
    penalty: { strength: 0.5, onNumbers: 1 },
    depth: 2,
    rounds: 100,
    nearestClasses: new Int32Array(count).fill(-1),
    nearestDistances: new Float64Array(count),
  }
}

/** Answers that all say the same. */
function saying(count: number, chances: readonly number[]): Float64Array {
  return Float64Array.from({ length: count * chances.length }, (_, i) => chances[i % chances.length] as number)
}

test('a class that is said twice as often as it comes is said about as often, and one that was never held out as before', () => {
  const pooled = saying(1_000, [0.78, 0.2, 0.02])
  const factors = fitBalance(heldOut(1_000, 10), pooled)
  assert.ok((factors[1] as number) < 0.75 && (factors[0] as number) > 1.2, `${factors}`)
  assert.equal(factors[2], 0)
  assert.ok(Math.abs((pooled[1] as number) - 0.1) < 0.01, `${pooled[1]}`)
  assert.equal(pooled[2], 0.02)
  assert.ok(Math.abs((pooled[0] as number) + (pooled[1] as number) - 0.98) < 1e-12)
})

test('what is balanced already stays', () => {
  for (const factor of fitBalance(heldOut(1_000, 10), saying(1_000, [0.81, 0.09, 0.1])).subarray(0, 2))
    assert.ok(Math.abs(factor - 1) < 1e-3, `${factor}`)
})

test('the fewer examples, the nearer the factors stay to 1; of a handful, or the latest alone, there are none', () => {
  const off = (count: number): number =>
    Math.log(fitBalance(heldOut(count, 10), saying(count, [0.78, 0.2, 0.02]))[1] as number)
  assert.ok(off(1_000) < off(400) && off(400) < off(200) && off(200) < -0.1)
  assert.equal(fitBalance(heldOut(100, 10), saying(100, [0.78, 0.2, 0.02])).length, 0)
  assert.equal(fitBalance(heldOut(1_000, 10, 1), saying(1_000, [0.78, 0.2, 0.02])).length, 0)
})

test('without factors an answer stays as it is', () => {
  const answer = Float64Array.of(0.2, 0.8)
  balance(answer, new Float64Array(0))
  assert.deepEqual(answer, Float64Array.of(0.2, 0.8))
})
