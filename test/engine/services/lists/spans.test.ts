import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oldestOf, ROWS_AT_ONCE, spansBefore } from '../../../../engine/services/lists/column-walk.js'
import { EventRows } from '../../../../engine/services/lists/event-rows.js'

test('every span of a walk has a row before its time', () => {
  const later = new EventRows(true)
  const earlier = new EventRows(false)
  const half = 2 * ROWS_AT_ONCE
  for (let at = 0; at < half; at++) {
    later.add(half + at, 0)
    earlier.add(half - 1 - at, 0)
  }
  const oldest = (before: number): number[] => spansBefore(before, later, earlier).map(oldestOf)
  const all = [3, 2, 1, 0].map((span) => span * ROWS_AT_ONCE)
  assert.deepEqual(oldest(Number.POSITIVE_INFINITY), all)
  assert.deepEqual(oldest(half + 1), all.slice(1))
  assert.deepEqual(oldest(half), all.slice(2))
  assert.deepEqual(oldest(1), [0])
  assert.deepEqual(oldest(0), [])
})
