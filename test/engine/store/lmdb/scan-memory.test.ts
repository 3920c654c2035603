import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScanMemory } from '../../../../engine/store/lmdb/scan-memory.js'

test('entries of all lengths, from every place in memory, are shown as they are', () => {
  const memory = new ScanMemory()
  const source = Buffer.from(Array.from({ length: 40_000 }, (_, i) => (i * 31) % 251))
  for (const offset of [0, 1, 2, 3, 4, 8]) {
    const from = source.subarray(offset)
    for (const start of [0, 1, 4, 32]) {
      for (const length of [0, 1, 3, 4, 5, 12, 1_000, 16_383, 16_384, 16_385, 30_000]) {
        assert.deepEqual(memory.show(from, start, length), source.subarray(offset + start, offset + start + length))
      }
    }
  }
})

test('an entry at the very end of its memory is whole', () => {
  const memory = new ScanMemory()
  const bytes = Buffer.from(new Uint8Array([1, 2, 3, 4, 5, 6, 7]).buffer)
  assert.deepEqual([...memory.show(bytes, 0, 7)], [1, 2, 3, 4, 5, 6, 7])
  assert.deepEqual([...memory.show(bytes, 4, 3)], [5, 6, 7])
})

test('what is shown is there until the next entry is', () => {
  const memory = new ScanMemory()
  const first = memory.show(Buffer.from([1, 2, 3, 4]), 0, 4)
  memory.show(Buffer.from([5, 6, 7, 8]), 0, 4)
  assert.deepEqual([...first], [5, 6, 7, 8])
})
