import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piece, PIECE_BYTES_MAX, untrusted } from '../../../server/mcp/untrusted.js'

test('a short piece is given as it is, a long one as its beginning', () => {
  assert.deepEqual(piece({ a: [1, 'x'] }), { a: [1, 'x'] })
  assert.equal(piece(undefined), null)
  const long = { text: 'x'.repeat(10_000) }
  const cut = piece(long) as { cut: string; bytes: number }
  assert.equal(Buffer.byteLength(cut.cut), PIECE_BYTES_MAX)
  assert.equal(cut.bytes, JSON.stringify(long).length)
})

test('a character is never cut in two', () => {
  for (let size = 40; size < 60; size++) {
    const { cut } = piece('€'.repeat(100), size) as { cut: string }
    assert.ok(!cut.includes('\ufffd') && Buffer.byteLength(cut) <= size && Buffer.byteLength(cut) > size - 3)
  }
})

test('pieces that are not there are left out', () => {
  assert.deepEqual(untrusted({ a: undefined, b: null, c: 1 }), { b: null, c: 1 })
})
