import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DELETED, REFUSED, walkRows } from '../../../../engine/services/lists/column-walk.js'
import { EventRows } from '../../../../engine/services/lists/event-rows.js'

function rowsOf(count: number): EventRows {
  const rows = new EventRows(true)
  for (let at = 0; at < count; at++) {
    rows.add(at, at)
    rows.set(at, at % 3, at % 2 === 0 ? 8 : 16, at)
  }
  return rows
}

const noTables = { byCode: null, byConfidence: null, byBucket: null, byValue: null, numbers: () => null }

test('refused rows are looked at and not shown; deleted and later rows are not looked at', () => {
  const rows = rowsOf(12)
  rows.codes[4] = DELETED
  const byBucket = new Uint8Array(3)
  byBucket[0] = REFUSED
  const shown: number[] = []
  const visit = (of: EventRows, at: number): boolean => shown.push(of.times[at] as number) > 0
  const tables = { ...noTables, byBucket }
  const looked = walkRows({ rows, first: 11, end: -1 }, 10, { tables, visit, pause: () => true })
  assert.deepEqual(shown, [8, 7, 5, 2, 1])
  assert.equal(looked, 9)
})

test('the visitor ends the walk', () => {
  const how = { tables: noTables, visit: (_: EventRows, at: number) => at < 3, pause: () => true }
  assert.equal(walkRows({ rows: rowsOf(9), first: 0, end: 9 }, 100, how), -4)
})
