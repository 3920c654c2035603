import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram } from '../../../bench/load/histogram.js'
import { Random } from '../../../bench/streams/random.js'

test('an empty histogram answers zero', () => {
  const histogram = new Histogram()
  assert.deepEqual([histogram.count, histogram.mean, histogram.max, histogram.percentile(99)], [0, 0, 0, 0])
})

test('small values are exact', () => {
  const histogram = new Histogram()
  for (let i = 1; i <= 100; i++) histogram.record(i)
  assert.equal(histogram.percentile(50), 50)
  assert.equal(histogram.percentile(99), 99)
  assert.equal(histogram.percentile(100), 100)
  assert.equal(histogram.percentile(0), 1)
  assert.equal(histogram.mean, 50.5)
})

test('percentiles are within 0.8 percent of the sorted values, over all magnitudes', () => {
  for (const seed of [1, 2, 3]) {
    const random = new Random(seed)
    const histogram = new Histogram()
    const values = Array.from({ length: 20_000 }, () => Math.floor(10 ** (9 * random.unit())))
    for (const value of values) histogram.record(value)
    values.sort((a, b) => a - b)
    for (const p of [1, 25, 50, 90, 99, 99.9, 100]) {
      const exact = values[Math.max(1, Math.ceil((p / 100) * values.length)) - 1] as number
      const found = histogram.percentile(p)
      assert.ok(found >= exact && found <= exact * 1.008 + 1, `seed ${seed}, p${p}: ${found} for ${exact}`)
    }
  }
})

test('negative and huge values are kept within its bounds', () => {
  const histogram = new Histogram()
  histogram.record(-5)
  histogram.record(1e15)
  assert.equal(histogram.percentile(1), 0)
  assert.equal(histogram.percentile(100), 0xffffffff)
})

test('merging adds the values of another', () => {
  const [one, other] = [new Histogram(), new Histogram()]
  for (let i = 0; i < 50; i++) one.record(10)
  for (let i = 0; i < 50; i++) other.record(1_000)
  one.merge(other)
  assert.equal(one.count, 100)
  assert.equal(one.percentile(50), 10)
  assert.ok(Math.abs(one.percentile(51) - 1_000) <= 8)
  assert.equal(one.max, 1_000)
})
