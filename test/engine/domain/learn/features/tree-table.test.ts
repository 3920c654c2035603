import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeAt, copyCodes, partition } from '../../../../../engine/domain/learn/features/tree-table.js'
import { tableOf } from '../../../../support/tree-tables.js'

const rows = Array.from({ length: 70 }, (_, i) => ({
  numbers: [i % 5, 0],
  features: i % 3 === 0 ? [1] : [0],
  label: 0,
}))
const table = tableOf(rows, 2, 2)

test('a code is the same by column and by row', () => {
  const codes = new Uint8Array(table.columnCount)
  for (let row = 0; row < table.rowCount; row++) {
    copyCodes(table, row, codes)
    for (let column = 0; column < table.columnCount; column++) assert.equal(codes[column], codeAt(table, column, row))
  }
})

test('a partition keeps every row, low codes in front', () => {
  for (const [column, code] of [
    [0, 2],
    [2, 0],
    [3, 0],
    [1, 0],
  ] as const) {
    const order = Int32Array.from(rows.keys())
    const middle = partition(table, order, { start: 10, end: 60 }, { column, code })
    for (let i = 10; i < 60; i++) assert.equal(codeAt(table, column, order[i] as number) > code, i >= middle)
    assert.deepEqual(
      [...order].sort((a, b) => a - b),
      [...rows.keys()],
    )
    assert.deepEqual(
      [...order.subarray(0, 10), ...order.subarray(60)],
      [...rows.keys()].filter((i) => i < 10 || i >= 60),
    )
  }
})
