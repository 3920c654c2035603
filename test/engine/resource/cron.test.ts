import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
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

/** The times from a moment on, in UTC. */
function times(expression: string, zone: string, after: string, count: number): string[] {
  const found: string[] = []
  let micros: number | null = Date.parse(after) * 1000
  while (found.length < count && micros !== null) {
    micros = nextTimeMicros(expression, micros, zone)
    if (micros !== null) found.push(new Date(micros / 1000).toISOString().slice(0, 16))
  }
  return found
}

describe('in a zone, over a change of the clock', () => {
  for (const [fact, expression, zone, after, expected] of [
    [
      'a time of the day is one time',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-06-01T00:00:00Z',
      ['2026-06-01T00:30', '2026-06-02T00:30'],
    ],
    [
      'a time that is skipped is when clocks are set, once',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    [
      'a time that comes twice is the first, once',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      'a start between both does not repeat it',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-25T00:45:00Z',
      ['2026-10-26T01:30'],
    ],
    [
      'a start in the repeated hour does not repeat it',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-25T01:10:00Z',
      ['2026-10-26T01:30'],
    ],
    [
      'several skipped times are one',
      '*/20 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:00', '2026-03-30T00:20'],
    ],
    [
      'several repeated times are once each',
      '*/30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-26T01:00'],
    ],
    [
      'a skipped time beside another is not lost',
      '30 2,5 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00', '2026-03-29T03:30', '2026-03-30T00:30'],
    ],
    [
      'every half hour stays every half hour in spring',
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-03-29T00:20:00Z',
      ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30'],
    ],
    [
      'every half hour stays every half hour in autumn',
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-10-25T00:20:00Z',
      ['2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30', '2026-10-25T02:00'],
    ],
    [
      'another continent changes on another day',
      '30 1 * * *',
      'America/New_York',
      '2026-10-31T12:00:00Z',
      ['2026-11-01T05:30', '2026-11-02T06:30'],
    ],
    [
      'half an hour is a change, too',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-03T12:00:00Z',
      ['2026-04-03T14:45', '2026-04-04T14:45', '2026-04-05T15:15'],
    ],
    [
      'a midnight that does not exist is when the day begins',
      '0 0 * * *',
      'America/Santiago',
      '2026-09-05T12:00:00Z',
      ['2026-09-06T04:00', '2026-09-07T03:00'],
    ],
    [
      'a time once a year crosses both changes',
      '0 12 1 8 *',
      'Europe/Berlin',
      '2026-01-01T00:00:00Z',
      ['2026-08-01T10:00', '2027-08-01T10:00'],
    ],
    [
      'a weekday is that of the zone',
      '0 1 * * MON',
      'Asia/Tokyo',
      '2026-11-27T00:00:00Z',
      ['2026-11-29T16:00', '2026-12-06T16:00'],
    ],
    [
      'a zone without changes has none',
      '0 3 * * *',
      'Asia/Kolkata',
      '2026-03-28T00:00:00Z',
      ['2026-03-28T21:30', '2026-03-29T21:30'],
    ],
  ] as const)
    it(fact, () => assert.deepEqual(times(expression, zone, after, expected.length), expected))

  it('a nightly training is once a night, all year, in every zone', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'UTC']) {
      const nights = times('30 2 * * *', zone, '2025-12-31T23:00:00Z', 365).map((time) => Date.parse(`${time}:00Z`))
      const gaps = nights.slice(1).map((night, at) => (night - (nights[at] as number)) / 3_600_000)
      assert.ok(
        gaps.every((hours) => hours >= 23 && hours <= 25),
        zone,
      )
      assert.equal(Math.round((nights.at(-1)! - nights[0]!) / 86_400_000), 364, zone)
    }
  })
})
