import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sfc32 } from '../../../../../engine/domain/learn/sfc32.js'
import { rightSingularVectors, type SparseRows } from '../../../../../engine/domain/learn/features/truncated-svd.js'
import { wholeStage } from '../../../../support/learning-table.js'

/** Rows with the numbers that `at` gives and no zeros. */
function sparse(rowCount: number, columnCount: number, at: (row: number, column: number) => number): SparseRows {
  const starts = [0]
  const columns: number[] = []
  const values: number[] = []
  for (let row = 0; row < rowCount; row++) {
    for (let column = 0; column < columnCount; column++) {
      const value = at(row, column)
      if (value === 0) continue
      columns.push(column)
      values.push(value)
    }
    starts.push(columns.length)
  }
  return {
    columnCount,
    starts: Int32Array.from(starts),
    columns: Int32Array.from(columns),
    values: Float32Array.from(values),
  }
}

test('columns that come together are one direction, the one with more of them first', () => {
  // Columns 0 to 3 in the first 60 rows, 4 and 5 in the other 40; no row has both.
  const { vectors, count } = rightSingularVectors(
    sparse(100, 6, (row, column) => Number(row < 60 === column < 4)),
    2,
    wholeStage,
  )
  assert.equal(count, 2)
  for (let column = 0; column < 6; column++) {
    const first = Math.abs(vectors[column * 2]!)
    const second = Math.abs(vectors[column * 2 + 1]!)
    assert.ok(Math.abs(first - (column < 4 ? 0.5 : 0)) < 1e-9)
    assert.ok(Math.abs(second - (column < 4 ? 0 : Math.SQRT1_2)) < 1e-9)
  }
})

test('there are no more directions than the rows have', () => {
  const { count } = rightSingularVectors(
    sparse(50, 20, (row, column) => (row % 3) * (column % 2) + (column % 5)),
    8,
    wholeStage,
  )
  assert.equal(count, 2)
  assert.equal(
    rightSingularVectors(
      sparse(50, 20, () => 0),
      8,
      wholeStage,
    ).count,
    0,
  )
})

test('the directions hold more of the rows than any other as many do, and are the same each time', () => {
  const random = new Sfc32(7, 1)
  const planted = Array.from({ length: 3 }, () => Float64Array.from({ length: 80 }, () => random.below(100) / 100))
  const rows = Array.from({ length: 200 }, () => {
    const shares = planted.map((_, k) => (random.below(100) / 100) * (3 - k))
    return Float64Array.from({ length: 80 }, (_, column) =>
      planted.reduce((sum, direction, k) => sum + shares[k]! * direction[column]!, random.below(100) / 1_000),
    )
  })
  const matrix = sparse(200, 80, (row, column) => rows[row]![column]!)
  const { vectors, count } = rightSingularVectors(matrix, 3, wholeStage)
  let held = 0
  let all = 0
  for (const row of rows) {
    for (let k = 0; k < count; k++)
      held += row.reduce((sum, x, column) => sum + x * vectors[column * count + k]!, 0) ** 2
    all += row.reduce((sum, x) => sum + x * x, 0)
  }
  assert.ok(held > 0.995 * all && held < all, `${held} of ${all}`)
  assert.deepEqual(rightSingularVectors(matrix, 3, wholeStage).vectors, vectors)
})
