import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelReader, ModelWriter } from '../../../engine/learn/model-bytes.js'
import { chooseNumberColumns, numberCode, readNumberColumns, resolves, writeNumberColumns } from '../../../engine/learn/number-columns.js'
import type { PointValues } from '../../../engine/learn/classifier.js'

const rows: PointValues[] = Array.from({ length: 300 }, (_, i) => [i % 7, i * i, i % 4 === 0 ? null : ['a', 'b'].slice(0, i % 3), `text ${i % 9}`, 'one'])
const counts = Int32Array.from({ length: rows.length * 5 }, (_, i) => 1 + (i % 40))
const columns = chooseNumberColumns(rows, 5, counts)

test('points have the columns that tell something', () => {
  const found = columns.map(({ point, what }) => [point, what])
  // Numbers are not counted; arrays have a length too.
  assert.deepEqual(found, [[0, 0], [1, 0], [2, 1], [2, 2], [3, 2], [4, 2]])
  assert.deepEqual(columns.map(resolves), [true, false, false, false, false, false])
})

test('greater numbers have greater codes, missing has 0', () => {
  for (const column of columns.slice(0, 2)) {
    let last = 0
    for (const number of [-Infinity, -5, 0, 1, 2.5, 6, 50, 1_000, 80_000, 1e9, Infinity]) {
      const code = numberCode(column, number, 1)
      assert.ok(code >= Math.max(1, last) && code <= 255)
      last = code
    }
    for (const value of [null, 'text', true, [], NaN]) assert.equal(numberCode(column, value, 1), 0)
  }
  const exact = columns[0]
  assert.ok(exact !== undefined)
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].map((x) => numberCode(exact, x, 1)), [1, 2, 3, 4, 5, 6, 7])
})

test('columns are read as they were written', () => {
  const to = new ModelWriter('columns')
  writeNumberColumns(columns, to)
  const from = new ModelReader(to.seal(), 'columns')
  assert.deepEqual(readNumberColumns(from), columns)
  from.finish()
})
