import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../../../../engine/index.js'
import { FairWindow } from '../../../../server/routes/bulk/fair-window.js'

const total = limits.bulkEventsUnderWayMax

test('a request alone has the whole window, for each thread that decides', () => {
  assert.equal(new FairWindow(1).share, total)
  const window = new FairWindow(3)
  window.join()
  assert.equal(window.share, 3 * total)
})

test('requests share the window evenly, and get back what others leave', () => {
  const window = new FairWindow(1)
  for (let i = 0; i < 4; i++) window.join()
  assert.equal(window.share, total / 4)
  window.leave()
  window.leave()
  assert.equal(window.share, total / 2)
})

test('a request always gets a little', () => {
  const window = new FairWindow(1)
  for (let i = 0; i < 10_000; i++) window.join()
  assert.equal(window.share, limits.bulkShareMin)
})
