import assert from 'node:assert/strict'
import { test } from 'node:test'
import { weighBuckets } from '../../../../engine/domain/learn/stream-share.js'

function sum(numbers: Float64Array): number {
  return numbers.reduce((a, b) => a + b, 0)
}

test('buckets of a single event each count once', () => {
  for (const weight of weighBuckets(new Array(30).fill(1), 100_000)) assert.ok(Math.abs(weight - 1) < 0.01)
})

test('a bucket that is half of the stream weighs half of all', () => {
  const weights = weighBuckets([5_000, ...new Array(50).fill(1)], 10_000)
  assert.ok(Math.abs((weights[0] as number) / sum(weights) - 0.5) < 0.01)
  assert.ok((weights[1] as number) >= 1)
})

test('weights follow the events where all are labelled, and stay bounded', () => {
  const weights = weighBuckets([900, 90, 10], 1_000)
  assert.ok(sum(weights) < 16)
  assert.ok((weights[0] as number) > 6 * (weights[1] as number))
})

test('where every event is in a labelled bucket each stands for its own events', () => {
  const weights = weighBuckets([60, 30, ...new Array<number>(910).fill(1)], 1_000)
  assert.ok(Math.abs((weights[0] as number) - 60) < 1e-6)
  assert.ok(Math.abs((weights[2] as number) - 1) < 1e-6)
})

test('no events, one bucket and a total that is too small are survived', () => {
  assert.equal(weighBuckets([], 0).length, 0)
  for (const weights of [weighBuckets([7], 7), weighBuckets([0], 0), weighBuckets([7, 5], 3)]) {
    for (const weight of weights) assert.ok(Number.isFinite(weight) && weight > 0)
  }
})
