import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReadStops } from '../../../../server/http/framing/read-stops.js'

test('a bounded number of connections stops being read in each window, and none while there are more', () => {
  const stops = new ReadStops()
  const allowed = (nowMs: number, asked: number): number =>
    Array.from({ length: asked }, () => stops.may(nowMs)).filter(Boolean).length
  assert.equal(allowed(1_000, 100), 100)
  assert.equal(allowed(1_100, 90), 90)
  assert.equal(allowed(1_150, 90), 10)
  assert.equal(allowed(1_200, 70), 0)
  assert.equal(allowed(1_300, 500), 100)
  assert.equal(allowed(1_400, 500), 0)
  assert.equal(allowed(1_600, 500), 100)
})
