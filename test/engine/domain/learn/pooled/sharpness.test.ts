import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeldOut } from '../../../../../engine/domain/learn/pooled/held-out.js'
import { fitSharpness, sharpen } from '../../../../../engine/domain/learn/pooled/sharpness.js'

const count = 200

function heldOut(allLabels: boolean): HeldOut {
  const examples = Int32Array.from({ length: count }, (_, h) => h)
  return {
    classCount: 2,
    examples,
    classes: examples.map((h) => h % 2),
    weights: new Float64Array(count).fill(1),
    folds: examples.map((h) => h % 3),
    foldCount: 3,
    chances: new Float64Array(0),
    allLabels,
    penalty: { strength: 0.5, onNumbers: 1 },
    depth: 6,
    rounds: 100,
    nearestClasses: new Int32Array(count).fill(-1),
    nearestDistances: new Float64Array(count).fill(9),
  }
}

/** Answers of which nine in ten are right, with this chance for what each says. */
const answers = (top: number): Float64Array =>
  Float64Array.from({ length: 2 * count }, (_, i) => {
    const right = (i >> 1) % 10 > 0
    return ((i >> 1) % 2 === i % 2) === right ? top : 1 - top
  })

test('an answer to a power is surer of the same and sums to 1', () => {
  const answer = Float64Array.of(0.6, 0.3, 0.1)
  sharpen(answer, 1.5)
  assert.ok((answer[0] as number) > 0.6 && (answer[2] as number) < 0.1)
  assert.ok(Math.abs(answer.reduce((a, b) => a + b, 0) - 1) < 1e-12)
})

test('answers that doubt more than they err are sharpened, no others', () => {
  const pooled = answers(0.75)
  assert.ok(fitSharpness(heldOut(true), pooled, 0.001) > 1)
  assert.ok(Math.max(...pooled) > 0.76)
  assert.equal(fitSharpness(heldOut(true), answers(0.9), 0.001), 1)
  assert.equal(fitSharpness(heldOut(true), answers(0.98), 0.001), 1)
})

test('nothing is sharpened where a label was too rare to be held out', () => {
  assert.equal(fitSharpness(heldOut(false), answers(0.75), 0.001), 1)
})
