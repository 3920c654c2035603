import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../../engine/index.js'
import { FairWindow } from '../../../../server/routes/bulk/fair-window.js'

const total = limits.bulkEventsUnderWayMax

test('a request alone has the whole window, for each thread that decides', () => {
  assert.equal(new FairWindow(1).share('a'), total)
  const window = new FairWindow(3)
  window.join('a')
  assert.equal(window.share('a'), 3 * total)
})

test('requests share the window evenly, and get back what others leave', () => {
  const window = new FairWindow(1)
  for (let i = 0; i < 4; i++) window.join('a')
  assert.equal(window.share('a'), total / 4)
  window.leave('a')
  window.leave('a')
  assert.equal(window.share('a'), total / 2)
})

test('a caller gets no more with many requests', () => {
  const window = new FairWindow(1)
  for (let i = 0; i < 8; i++) window.join('a')
  assert.equal(window.share('b'), total / 2, 'before its first line')
  window.join('b')
  assert.equal(window.share('b'), total / 2)
  assert.equal(window.share('a'), total / 16)
  window.leave('b')
  assert.equal(window.share('a'), total / 8)
})

test('a request always gets a little', () => {
  const window = new FairWindow(1)
  for (let i = 0; i < 10_000; i++) window.join('a')
  assert.equal(window.share('a'), limits.bulkShareMin)
})
