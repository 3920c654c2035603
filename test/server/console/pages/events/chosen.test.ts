import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countOf,
  everything,
  isChosen,
  isNothing,
  nothing,
  rowsOf,
  toggledRow,
  withRows,
  type Chosen,
} from '../../../../../server/console/pages/events/chosen.js'
import type { Row } from '../../../../../server/console/pages/events/row.js'

const row = (id: string): Row => ({ id }) as Row
const rows = ['a', 'b', 'c', 'd'].map(row)
const idsOf = (chosen: Chosen): string[] => rows.map(({ id }) => id).filter((id) => isChosen(chosen, id))

test('all but a row are all others, and the row that is put back is among them', () => {
  const spared = toggledRow(everything, row('b'))
  assert.deepEqual(idsOf(spared), ['a', 'c', 'd'])
  assert.ok(isChosen(spared, 'an event that is not loaded'))
  assert.equal(countOf(spared, 980), 979)
  assert.equal(countOf(spared, null), null)
  assert.deepEqual(idsOf(toggledRow(spared, row('b'))), ['a', 'b', 'c', 'd'])
})

test('what is chosen by hand is these events, and no others', () => {
  const two = toggledRow(toggledRow(nothing, row('a')), row('c'))
  assert.deepEqual(idsOf(two), ['a', 'c'])
  assert.equal(countOf(two, 980), 2)
  assert.ok(isNothing(withRows(two, rows, false)))
  assert.ok(!isNothing(everything))
})

test('rows that a list does not have any more stay chosen', () => {
  const two = withRows(nothing, [row('gone'), row('a')], true)
  assert.deepEqual(
    rowsOf(two, rows, 4)?.map(({ id }) => id),
    ['gone', 'a'],
  )
})

test('the rows of "all but" are known where all of them are loaded', () => {
  const spared = toggledRow(everything, row('b'))
  assert.equal(rowsOf(spared, rows, 980), null)
  assert.equal(rowsOf(spared, rows, null), null)
  assert.deepEqual(
    rowsOf(spared, rows, 4)?.map(({ id }) => id),
    ['a', 'c', 'd'],
  )
})

test('a range is put in or taken out as a whole', () => {
  assert.deepEqual(idsOf(withRows(everything, rows.slice(1, 3), false)), ['a', 'd'])
  assert.deepEqual(idsOf(withRows(withRows(everything, rows, false), rows.slice(2), true)), ['c', 'd'])
})
