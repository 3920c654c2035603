import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addHash, distinctOf, hashOfValue, REGISTERS } from '../../../../engine/domain/metrics/distinct-count.js'

function counted(values: Iterable<string | number | boolean | readonly string[]>): { about: number; bytes: Buffer } {
  const registers = new Uint8Array(2 * REGISTERS)
  for (const value of values) addHash(registers, 0, hashOfValue(value))
  return { about: distinctOf(registers, 0, REGISTERS), bytes: Buffer.from(registers) }
}

function* ids(count: number, repeats = 1): Generator<string> {
  for (let i = 0; i < count * repeats; i++) yield `alert-${i % count}`
}

test('the count of different values is right within a quarter, from one to twenty thousand', () => {
  for (const count of [1, 2, 10, 100, 300, 1_000, 5_000, 20_000]) {
    const { about } = counted(ids(count))
    assert.ok(Math.abs(about - count) <= Math.max(1, count / 4), `${about} for ${count}`)
  }
})

test('the order of values and their repetitions change nothing', () => {
  const once = counted(ids(500))
  assert.deepEqual(counted(ids(500, 3)).bytes, once.bytes)
  assert.deepEqual(counted([...ids(500)].reverse()).bytes, once.bytes)
})

test('values of different types are different, and lists count as a whole', () => {
  assert.equal(counted([1, '1', true, false, ['1'], ['1', '2'], ['2']]).about, 7)
})
