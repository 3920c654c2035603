import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sfc32 } from '../../../../engine/domain/learn/sfc32.js'

test('the same seed and purpose give the same numbers, another of either gives others', () => {
  const numbers = (seed: number, purpose: number): number[] => {
    const random = new Sfc32(seed, purpose)
    return Array.from({ length: 20 }, () => random.next())
  }
  assert.deepEqual(numbers(1, 2), numbers(1, 2))
  assert.notDeepEqual(numbers(1, 2), numbers(2, 2))
  assert.notDeepEqual(numbers(1, 2), numbers(1, 3))
})

test('numbers below an end come about as often as each other', () => {
  const random = new Sfc32(7, 0)
  const counts = new Array<number>(10).fill(0)
  for (let i = 0; i < 10_000; i++) {
    const drawn = random.below(10)
    counts[drawn] = (counts[drawn] as number) + 1
  }
  for (const count of counts) assert.ok(count > 850 && count < 1150, `${count} of 10000`)
})
