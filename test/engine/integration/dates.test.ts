import assert from 'node:assert/strict'
import { test } from 'node:test'
import { millisIn } from '../../../engine/integration/dates.js'
import { afterwards } from '../../support/afterwards.js'

test('a date without a zone is UTC, wherever the service runs; an impossible date is none', (context) => {
  const zone = process.env.TZ
  process.env.TZ = 'America/New_York'
  afterwards(context, () => (zone === undefined ? delete process.env.TZ : (process.env.TZ = zone)))
  const wanted = Date.UTC(2026, 0, 31, 9, 5)
  for (const text of [
    '2026-01-31T09:05:00',
    '2026-01-31 09:05',
    '2026-01-31T10:05:00+01:00',
    '1769850300',
    '1769850300000',
    'Sat, 31 Jan 2026 09:05:00 GMT',
    'Jan 31, 2026 @ 09:05:00.000',
  ]) {
    assert.equal(millisIn(text), wanted, text)
  }
  for (const text of ['', 'soon', '+999999-01-01']) assert.equal(millisIn(text), null, text)
})
