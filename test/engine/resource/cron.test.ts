import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cronFault, nextTimeMicros } from '../../../engine/resource/cron.js'

function next(expression: string, after: string): string | null {
  const micros = nextTimeMicros(expression, Date.parse(after) * 1000)
  return micros === null ? null : new Date(micros / 1000).toISOString()
}

test('next times are in UTC and strictly later', () => {
  const cases = [
    ['0 3 * * *', '2026-01-31T02:59:59.999Z', '2026-01-31T03:00:00.000Z'],
    ['0 3 * * *', '2026-01-31T03:00:00.000Z', '2026-02-01T03:00:00.000Z'],
    ['*/15 * * * *', '2026-12-31T23:50:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['30 0 3 * * *', '2026-03-29T00:00:00.000Z', '2026-03-29T03:00:30.000Z'],
    ['0 2 * * 7', '2026-11-16T00:00:00.000Z', '2026-11-22T02:00:00.000Z'],
    ['0 0 29 2 *', '2025-01-01T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
    ['@daily', '2026-06-01T12:00:00.000Z', '2026-06-02T00:00:00.000Z'],
    [' 0 3 * * * ', '2026-01-31T00:00:00.000Z', '2026-01-31T03:00:00.000Z'],
  ] as const
  for (const [expression, after, expected] of cases) assert.equal(next(expression, after), expected, expression)
})

test('what is no cron expression says so', () => {
  for (const good of ['0 3 * * *', '0 0 3 * * *', '@hourly', '0 0 L * *', '0 9 * * MON-FRI']) {
    assert.equal(cronFault(good), null, good)
  }
  assert.equal(cronFault('0 0 30 2 *'), 'matches no time')
  const wrong = ['', 'daily', '* * * *', '61 * * * *', '0 0 0 * * * 2030', '2026-01-01T00:00:00', 'a b c d e', '@never']
  for (const bad of wrong) {
    assert.notEqual(cronFault(bad), null, bad)
  }
})

test('a parsed expression does not remember what it was asked before', () => {
  assert.equal(next('0 4 * * *', '2030-01-01T00:00:00Z'), '2030-01-01T04:00:00.000Z')
  assert.equal(next('0 4 * * *', '2020-01-01T00:00:00Z'), '2020-01-01T04:00:00.000Z')
})

test('the next time is the same up to it, and another from it on', () => {
  const start = Date.parse('2030-01-01T03:00:00Z') * 1000
  const minute = 60_000_000
  for (const after of [0, 1, minute - 1, minute, minute + 1, 14 * minute, 15 * minute - 1]) {
    assert.equal(nextTimeMicros('*/15 * * * *', start + after), start + 15 * minute, `${after}`)
  }
  assert.equal(nextTimeMicros('*/15 * * * *', start + 15 * minute), start + 30 * minute)
  assert.equal(nextTimeMicros('*/15 * * * *', start - 1), start)
})
