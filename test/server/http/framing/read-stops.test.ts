import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayStop } from '../../../../server/http/framing/read-stops.js'

test('a bounded number of connections stops being read in each window', () => {
  const allowed = (nowMs: number): number => Array.from({ length: 500 }, () => mayStop(nowMs)).filter(Boolean).length
  assert.equal(allowed(1_000), 100)
  assert.equal(allowed(1_050), 0)
  assert.equal(allowed(1_100), 100)
})
