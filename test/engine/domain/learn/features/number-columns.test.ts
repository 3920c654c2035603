import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelReader, ModelWriter } from '../../../../../engine/domain/learn/model-bytes.js'
import {
  chooseNumberColumns,
  numberCode,
  readNumberColumns,
  resolves,
  writeNumberColumns,
} from '../../../../../engine/domain/learn/features/number-columns.js'
import type { PointValues } from '../../../../../engine/domain/learn/classifier.js'
import { profilePoints } from '../../../../../engine/domain/learn/features/point-profile.js'

const rows: PointValues[] = Array.from({ length: 300 }, (_, i) => [
  i % 7,
  i * i,
  i % 4 === 0 ? null : ['a', 'b'].slice(0, i % 3),
  `text ${i % 9}`,
  'one',
])
const counts = Int32Array.from({ length: rows.length * 5 }, (_, i) => 1 + (i % 40))
const columns = chooseNumberColumns(rows, profilePoints(5, rows), counts)

test('points have the columns that tell something', () => {
  const found = columns.map(({ point, what }) => [point, what])
  // Numbers are not counted; arrays have a length too.
  assert.deepEqual(found, [
    [0, 0],
    [1, 0],
    [2, 6],
    [2, 2],
    [3, 2],
    [4, 2],
  ])
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
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((x) => numberCode(exact, x, 1)),
    [1, 2, 3, 4, 5, 6, 7],
  )
})

test('up to 255 numbers have a bin each, and of more those in the tails are told apart', () => {
  const some: PointValues[] = Array.from({ length: 255 }, (_, i) => [i * i])
  const [each] = chooseNumberColumns(some, profilePoints(1, some), new Int32Array(255).fill(1))
  assert.ok(each !== undefined && resolves(each))
  assert.equal(new Set(some.map(([value]) => numberCode(each, value ?? null, 1))).size, 255)
  // Nine in ten are small; the others lie far apart.
  const many: PointValues[] = Array.from({ length: 5_000 }, (_, i) => [i % 10 === 0 ? 1_000 + i : i % 300])
  const [tailed] = chooseNumberColumns(many, profilePoints(1, many), new Int32Array(5_000).fill(1))
  assert.ok(tailed !== undefined && !resolves(tailed))
  const tail = new Set(many.filter((_, i) => i % 10 === 0).map(([value]) => numberCode(tailed, value ?? null, 1)))
  assert.ok(tail.size >= 20 && Math.max(...tail) <= 255, String(tail.size))
})

test('numbers that are written as texts have the codes of the numbers, times those of hour and weekday', () => {
  const written = rows.map(([small, large]) => [
    String(small),
    String(large),
    `2026-0${1 + (small as number)}-15T1${small}:30:00Z`,
  ])
  const texts = chooseNumberColumns(written, profilePoints(3, written), counts)
  assert.deepEqual(
    texts.map(({ point }) => point),
    [0, 1, 2, 2],
  )
  const [small, large, hour, day] = texts
  assert.ok(small !== undefined && large !== undefined && hour !== undefined && day !== undefined)
  for (const number of [0, 3, 49, 1_000]) {
    assert.equal(numberCode(small, String(number), 1), numberCode(columns[0] as typeof small, number, 1))
    assert.equal(numberCode(large, String(number), 1), numberCode(large, number, 1))
  }
  assert.equal(resolves(small), true)
  assert.equal(numberCode(small, 'seven', 1), 0)
  // A Thursday and a Sunday, at 10:30 and at 11:30.
  assert.ok(numberCode(hour, '2026-01-15T10:30:00Z', 1) < numberCode(hour, '2026-02-15T11:30:00Z', 1))
  assert.ok(numberCode(day, '2026-01-15T10:30:00Z', 1) < numberCode(day, '2026-02-15T11:30:00Z', 1))
  assert.equal(numberCode(day, 'later', 1), 0)
})

test('a value that comes alone where there are lists counts as one item', () => {
  const lists: PointValues[] = Array.from({ length: 60 }, (_, i) => [
    [null, 'a', ['a', 'b'], ['a', 'b', 'c']][i % 4] ?? null,
  ])
  const [items] = chooseNumberColumns(lists, profilePoints(1, lists), new Int32Array(60).fill(1))
  assert.ok(items !== undefined)
  assert.deepEqual(
    [null, 'a', ['a', 'b'], ['a', 'b', 'c']].map((value) => numberCode(items, value, 1)),
    [0, 1, 2, 3],
  )
})

test('columns are read as they were written', () => {
  const to = new ModelWriter('columns')
  writeNumberColumns(columns, to)
  const from = new ModelReader(to.seal(), 'columns')
  assert.deepEqual(readNumberColumns(from), columns)
  from.finish()
})
