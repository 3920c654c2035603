import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeRecord, encodeRecord, idKey } from '../../../engine/resource/records.js'
import { assertRefused } from '../../support/engine/refusal.js'

test('a record comes back as it went in, after a version byte', () => {
  const record = { id: 7, title: 'Ünïcode ✓ \u{1F600}', list: [1, 'two', null], nested: { 'a.b': true } }
  const bytes = encodeRecord(record)
  assert.equal(bytes[0], 1)
  assert.deepEqual(decodeRecord('jobs', bytes), record)
})

test('a newer version and broken bytes are refused with a sentence', () => {
  const newer = Uint8Array.from(encodeRecord({}))
  newer[0] = 2
  assert.match(assertRefused('data_dir_newer', () => decodeRecord('jobs', newer)).message, /jobs has version 2/)
  assertRefused('data_dir_invalid', () => decodeRecord('jobs', new Uint8Array(0)))
  assertRefused('data_dir_invalid', () => decodeRecord('jobs', encodeRecord({ a: 1 }).subarray(0, 4)))
  assertRefused('data_dir_invalid', () => decodeRecord('jobs', Buffer.from('\0{}')))
})

test('ids are keys in number order', () => {
  const ids = [300, 2, 70_000, 1, 255, 256]
  const sorted = ids.toSorted((a, b) => Buffer.compare(idKey(a), idKey(b)))
  assert.deepEqual(sorted, [1, 2, 255, 256, 300, 70_000])
})
