import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeldOut } from '../../../../../engine/domain/learn/pooled/held-out.js'
import { fitRecall, mixRecalled, noRecall } from '../../../../../engine/domain/learn/pooled/recall.js'

/**
 * So many held-out examples of two classes, every tenth of the second; `nearest(h)` is the class of the nearest other
 * one, at `distance(h)`.
 */
function heldOut(nearest: (h: number) => number, distance: (h: number) => number, count = 60): HeldOut {
  const examples = Int32Array.from({ length: count }, (_, h) => h)
  return {
    classCount: 2,
    examples,
    classes: examples.map((h) => (h % 10 === 0 ? 1 : 0)),
    weights: new Float64Array(count).fill(1),
    folds: examples.map((h) => h % 3),
    foldCount: 3,
    chances: new Float64Array(0),
    allLabels: true,
    penalty: { strength: 0.5, onNumbers: 1 },
    depth: 6,
    rounds: 100,
    nearestClasses: examples.map(nearest),
    nearestDistances: Float64Array.from(examples, distance),
  }
}

/** A pool that knows the shares of the classes and nothing else. */
const shares = (): Float64Array => Float64Array.from({ length: 120 }, (_, i) => (i % 2 === 0 ? 0.9 : 0.1))

test('a label that is told by what is near is recalled, however rare it is', () => {
  const pooled = shares()
  const held = heldOut(
    (h) => (h % 10 === 0 ? 1 : 0),
    () => 0.1,
  )
  const recall = fitRecall(held, pooled, 1, 0.01)
  assert.ok(recall.reach > 0)
  assert.ok((pooled[1] as number) > 0.5, 'the held-out answers are those with recall')
  const answer = Float64Array.of(0.9, 0.1)
  mixRecalled(recall, { label: 1, distance: 0.1 }, answer)
  assert.ok((answer[1] as number) > 0.5)
  assert.ok(Math.abs((answer[0] as number) + (answer[1] as number) - 1) < 1e-12)
})

test('what is far away is not recalled', () => {
  const answer = Float64Array.of(0.9, 0.1)
  mixRecalled({ reach: 0.5, smoothing: 1 }, { label: 1, distance: 5 }, answer)
  assert.ok(Math.abs((answer[1] as number) - 0.1) < 1e-9)
})

test('what is about as far as labelled events are from each other is recalled where many of them say so, and not of a handful', () => {
  const reachOf = (count: number): number =>
    fitRecall(
      heldOut(
        (h) => (h % 10 === 0 ? 1 : 0),
        () => 0.9,
        count,
      ),
      shares(),
      1,
      0.01,
    ).reach
  assert.equal(reachOf(60), 1)
  assert.ok(reachOf(18) < 1)
})

test('where the nearest event misleads, or there is none, nothing is recalled', () => {
  assert.deepEqual(
    fitRecall(
      heldOut(
        (h) => (h % 10 === 0 ? 0 : 1),
        () => 0.1,
      ),
      shares(),
      1,
      0.01,
    ),
    noRecall,
  )
  const pooled = shares()
  assert.deepEqual(
    fitRecall(
      heldOut(
        () => -1,
        () => Infinity,
      ),
      pooled,
      1,
      0.01,
    ),
    noRecall,
  )
  assert.deepEqual(pooled, shares())
})
