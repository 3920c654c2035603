import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandom, systemRandom } from '../../engine/rng.js'

test('the same seed gives the same numbers, another seed others', () => {
  const numbers = (seed: number): number[] => {
    const random = new SeededRandom(seed)
    return Array.from({ length: 50 }, () => random.nextUint32())
  }
  assert.deepEqual(numbers(7), numbers(7))
  assert.notDeepEqual(numbers(7), numbers(8))
  assert.equal(new Set(numbers(0)).size, 50)
})

test('floats fill 0 to 1 evenly and below stays below', () => {
  const random = new SeededRandom(42)
  const tenths = new Array<number>(10).fill(0)
  for (let i = 0; i < 20_000; i++) {
    const value = random.nextFloat()
    assert.ok(value >= 0 && value < 1)
    const tenth = Math.floor(value * 10)
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
    assert.ok(random.below(3) < 3)
  }
  for (const count of tenths) assert.ok(count > 1_800 && count < 2_200, `${count} of 20000 in one tenth`)
})

test('pick gives each item some time', () => {
  const random = new SeededRandom(1)
  const picked = new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c'])))
  assert.deepEqual([...picked].sort(), ['a', 'b', 'c'])
})

test('both sources give as many bytes as asked', () => {
  assert.equal(systemRandom.bytes(32).length, 32)
  assert.deepEqual(new SeededRandom(3).bytes(9), new SeededRandom(3).bytes(9))
  assert.notDeepEqual(systemRandom.bytes(32), systemRandom.bytes(32))
})
