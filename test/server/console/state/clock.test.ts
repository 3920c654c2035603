import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offsetAfter } from '../../../../server/console/state/clock.js'

const SERVICE_MS = Date.parse('2026-11-29T12:00:00Z')
const header = (ms: number): string => new Date(Math.floor(ms / 1_000) * 1_000).toUTCString()
/** An answer that the service sends at `at`, to a browser whose clock is ahead by `aheadMs`. */
function heard(known: number | null, at: number, aheadMs: number, delayMs = 5): number | null {
  const nowMs = at + aheadMs + delayMs
  return offsetAfter(known, header(at), { sentMs: nowMs - 2 * delayMs, nowMs })
}

test('the estimate is never ahead of the service, and gets closer with more answers', () => {
  let known: number | null = null
  for (const at of [900, 400, 30, 700]) known = heard(known, SERVICE_MS + at, 600_000)
  const now = SERVICE_MS + 60_000
  const estimate = now + 600_000 + (known as number)
  assert.ok(estimate <= now && estimate > now - 100, String(estimate - now))
})

test('a slow answer says nothing new; a clock that was set does', () => {
  const known = heard(null, SERVICE_MS, 0)
  assert.equal(heard(known, SERVICE_MS + 60_000, 0, 20_000), known)
  assert.ok(Math.abs((heard(known, SERVICE_MS + 60_000, 600_000) as number) + 600_000) < 1_100)
})

test('an answer without a date, or with a bad one, changes nothing', () => {
  const when = { sentMs: SERVICE_MS, nowMs: SERVICE_MS }
  assert.equal(offsetAfter(7, null, when), 7)
  assert.equal(offsetAfter(null, 'soon', when), null)
})
