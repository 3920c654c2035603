import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DecisionWindow, WINDOW_MINUTES_MAX } from '../../../../engine/domain/metrics/decision-window.js'

const MINUTE = 60e6
const one = { stored: 1, decided: 1, lowConfidence: 0, outliers: 0 }

test('a look back sums the last minutes, of a job that is watched or of all', () => {
  const window = new DecisionWindow()
  const now = 1_700_000_000e6
  for (let at = 0; at < 100; at++) window.add(at % 2, one, at % 2 === 1, now + at * MINUTE)
  const end = now + 99 * MINUTE
  assert.deepEqual(
    [window.sum(null, 10, end).stored, window.sum(1, 10, end).stored, window.sum(0, 10, end).stored],
    [10, 5, 0],
  )
  assert.equal(window.sum(null, WINDOW_MINUTES_MAX, end).stored, WINDOW_MINUTES_MAX)
})

test('what was counted before the clock was set back is not counted again and again', () => {
  const window = new DecisionWindow()
  const now = 1_700_000_000e6
  window.add(1, { ...one, stored: 1_000 }, false, now + 60 * MINUTE)
  window.add(1, one, false, now)
  assert.equal(window.sum(null, 10, now).stored, 1)
})
