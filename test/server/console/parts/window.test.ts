import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scrollTo, windowOf } from '../../../../server/console/parts/window.js'

const ROW = 40
const VIEW = 800

test('a short list has all of its rows', () => {
  assert.deepEqual(windowOf(3, ROW, 0, VIEW), { first: 0, count: 3, top: 0, height: 120 })
  assert.equal(windowOf(0, ROW, 0, VIEW).count, 0)
})

test('at most eighty rows exist, whatever the size of the window', () => {
  for (const length of [100, 10_000, 1_000_000, 50_000_000])
    for (const view of [100, 800, 20_000]) assert.ok(windowOf(length, ROW, 0, view).count <= 80)
})

test('a list of a million rows fits into what browsers can show, and its ends can be reached', () => {
  const length = 1_000_000
  const { height } = windowOf(length, ROW, 0, VIEW)
  assert.ok(height <= 8_000_000)
  assert.equal(windowOf(length, ROW, 0, VIEW).first, 0)
  const end = windowOf(length, ROW, height - VIEW, VIEW)
  assert.equal(end.first + end.count, length)
})

test('every row comes into view when it is gone to', () => {
  for (const length of [500, 1_000_000]) {
    let top = 0
    for (const at of [0, 1, 25, length - 1, length - 2, length >> 1, 0, 300, 301, 299]) {
      top = scrollTo(at, { length, rowHeight: ROW }, top, VIEW) ?? top
      const { first, count } = windowOf(length, ROW, top, VIEW)
      assert.ok(at >= first && at < first + count, `row ${at} of ${length}`)
      assert.equal(scrollTo(at, { length, rowHeight: ROW }, top, VIEW), null, `row ${at} of ${length} stays`)
    }
  }
})
