import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random, Weighted, zipf } from '../../../bench/streams/random.js'

test('the same seed gives the same numbers, another seed others', () => {
  const draw = (seed: number): number[] => {
    const random = new Random(seed)
    return Array.from({ length: 50 }, () => random.uint32())
  }
  assert.deepEqual(draw(7), draw(7))
  assert.notDeepEqual(draw(7), draw(8))
})

test('numbers below n are spread evenly over all of them', () => {
  const random = new Random(3)
  const counts = new Array<number>(10).fill(0)
  for (let i = 0; i < 100_000; i++) {
    const n = random.below(10)
    counts[n] = (counts[n] as number) + 1
  }
  for (const count of counts) assert.ok(count > 9_500 && count < 10_500, `${count}`)
})

test('a weighted draw follows the weights and never draws a weight of zero', () => {
  const random = new Random(4)
  const weighted = new Weighted([1, 0, 3])
  const counts = [0, 0, 0]
  for (let i = 0; i < 40_000; i++) {
    const n = weighted.draw(random)
    counts[n] = (counts[n] as number) + 1
  }
  assert.equal(counts[1], 0)
  assert.ok(Math.abs((counts[0] as number) / 40_000 - 0.25) < 0.01)
})

test("the first of Zipf's items is drawn most", () => {
  const random = new Random(5)
  const law = zipf(100, 1)
  const counts = new Array<number>(100).fill(0)
  for (let i = 0; i < 50_000; i++) {
    const n = law.draw(random)
    counts[n] = (counts[n] as number) + 1
  }
  assert.ok((counts[0] as number) > (counts[9] as number) * 7)
  assert.equal(
    counts.every((count) => count > 0),
    true,
  )
})
