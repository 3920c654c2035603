import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  afterWorkingMs,
  isWorking,
  peopleHoursOf,
  threeWorkingDaysHours,
  workingHoursFault,
  workingHoursOf,
  workingMsBetween,
  type WorkingHours,
} from '../../../../engine/domain/job/working-hours.js'
import {
  firstInstantOf,
  instantsOf,
  isTimeZone,
  momentText,
  spanText,
} from '../../../../engine/domain/job/time-zone.js'

const HOUR_MS = 3_600_000
const at = (text: string): number => Date.parse(text)
const hours = (text: string, zone = 'Europe/Berlin'): WorkingHours => workingHoursOf(text, zone)!
const office = hours('mon-fri 08:00-18:00')

describe('working hours', () => {
  for (const [fact, text, from, working, until] of [
    [
      'carry a deadline of a Friday over the weekend',
      'mon-fri 08:00-18:00',
      '2026-11-27T14:00:00Z',
      30,
      '2026-12-02T14:00:00Z',
    ],
    [
      'begin a deadline of the night in the morning',
      'mon-fri 08:00-18:00',
      '2026-11-27T23:00:00Z',
      1,
      '2026-11-30T08:00:00Z',
    ],
    [
      'end a deadline with a working day, where it just fits',
      'mon-fri 08:00-18:00',
      '2026-11-27T07:00:00Z',
      10,
      '2026-11-27T17:00:00Z',
    ],
    ['leave out a day', 'mon-fri 08:00-18:00, not 2026-12-25', '2026-12-24T16:00:00Z', 2, '2026-12-28T08:00:00Z'],
    ['differ by day', 'mon-thu 08:00-17:00, fri 08:00-15:00', '2026-11-27T13:30:00Z', 1, '2026-11-30T07:30:00Z'],
    ['have a break', 'mon-fri 08:00-12:00, mon-fri 13:00-17:00', '2026-11-27T10:30:00Z', 1, '2026-11-27T12:30:00Z'],
    ['go over midnight', 'mon-fri 22:00-06:00', '2026-11-27T22:00:00Z', 8, '2026-11-30T22:00:00Z'],
    ['keep their time on the wall in spring', 'mon-sun 08:00-18:00', '2026-03-28T16:00:00Z', 2, '2026-03-29T07:00:00Z'],
    ['keep their time on the wall in autumn', 'mon-sun 08:00-18:00', '2026-10-24T15:00:00Z', 2, '2026-10-25T08:00:00Z'],
    [
      'are longer by an hour in the night when clocks are set back',
      'mon-sun 22:00-06:00',
      '2026-10-24T20:00:00Z',
      9,
      '2026-10-25T05:00:00Z',
    ],
    ['may be always', 'mon-sun 00:00-24:00', '2026-10-24T12:00:00Z', 48, '2026-10-26T12:00:00Z'],
    [
      'count what two spans have in common once',
      'mon-fri 08:00-14:00, mon-fri 12:00-18:00',
      '2026-11-27T07:00:00Z',
      10,
      '2026-11-27T17:00:00Z',
    ],
  ] as const)
    it(fact, () => {
      const own = hours(text)
      assert.equal(
        new Date(afterWorkingMs(own, at(from), working * HOUR_MS)).toISOString(),
        `${until.slice(0, -1)}.000Z`,
      )
      assert.equal(workingMsBetween(own, at(from), at(until)), working * HOUR_MS)
    })

  it('are of their zone', () => {
    const noon = at('2026-11-27T12:00:00Z')
    assert.deepEqual(
      ['Europe/Berlin', 'America/Los_Angeles', 'Asia/Tokyo', 'UTC'].map((zone) =>
        isWorking(hours('mon-fri 09:00-17:00', zone), noon),
      ),
      [true, false, false, true],
    )
  })

  it('have a begin that counts and an end that does not', () => {
    assert.deepEqual(
      ['06:59', '07:00', '16:59', '17:00'].map((time) => isWorking(office, at(`2026-11-27T${time}:00Z`))),
      [false, true, true, false],
    )
  })

  it('never end a deadline earlier for more hours, or for a later begin', () => {
    const own = hours('mon-thu 08:00-17:30, fri 08:00-15:00, sat 22:00-02:00, not 2026-03-30')
    let before = 0
    for (let from = at('2026-03-26T00:00:00Z'); from < at('2026-04-02T00:00:00Z'); from += 17 * 60_000) {
      const due = afterWorkingMs(own, from, 5 * HOUR_MS)
      assert.ok(due >= before && due >= from, new Date(from).toISOString())
      assert.equal(workingMsBetween(own, from, due), 5 * HOUR_MS)
      before = due
    }
  })

  it('say what is wrong with a text', () => {
    for (const [text, reason] of [
      ['8-18', /must be spans of days and times/],
      ['mon-fri', /must be spans/],
      ['mo-fr 08:00-18:00', /unknown day: mo/],
      ['mon-fri 08:00-25:00', /a time that does not exist/],
      ['mon-fri 08:60-18:00', /a time that does not exist/],
      ['not 2026-12-24', /at least one span/],
      ['mon 08:00-18:00, not 2026-02-30', /a day that does not exist: 2026-02-30/],
    ] as const)
      assert.match(workingHoursFault(text) ?? '', reason, text)
    for (const good of ['Mon-Fri 08:00-18:00', 'monday-friday 8:00-18:00; saturday 10:00-14:00', 'sun 00:00-24:00'])
      assert.equal(workingHoursFault(good), null, good)
  })

  it('are those of the job, else of the service', () => {
    const service = { timeZone: 'Europe/Berlin', workingHours: 'mon-fri 08:00-18:00' }
    assert.deepEqual(peopleHoursOf({}, service), service)
    assert.deepEqual(peopleHoursOf({ time_zone: 'Asia/Tokyo', working_hours: '' }, service), {
      ...service,
      timeZone: 'Asia/Tokyo',
    })
    assert.deepEqual(peopleHoursOf({ working_hours: 'sat 10:00-12:00' }, service), {
      ...service,
      workingHours: 'sat 10:00-12:00',
    })
  })

  it('make three days of so many hours', () => {
    assert.deepEqual(
      ['mon-fri 08:00-18:00', 'mon-sun 00:00-24:00', 'mon-thu 08:00-17:00, fri 08:00-15:00'].map((text) =>
        threeWorkingDaysHours(hours(text)),
      ),
      [30, 72, 26],
    )
  })
})

describe('a zone', () => {
  it('is a name, and no offset', () => {
    assert.deepEqual(
      ['UTC', 'Europe/Berlin', 'Asia/Kolkata', '+02:00', 'Berlin', '', 'Europe/Berlin '].map(isTimeZone),
      [true, true, true, false, false, false, false],
    )
  })

  it('shows some times twice, and skips some', () => {
    const wall = (month: number, day: number) => ({ year: 2026, month, day, hour: 2, minute: 30, second: 0 })
    assert.deepEqual(
      instantsOf(wall(10, 25), 'Europe/Berlin').map((ms) => new Date(ms).toISOString()),
      ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
    )
    assert.deepEqual(instantsOf(wall(3, 29), 'Europe/Berlin'), [])
    assert.equal(new Date(firstInstantOf(wall(3, 29), 'Europe/Berlin')).toISOString(), '2026-03-29T01:00:00.000Z')
  })

  it('is told with each time', () => {
    const micros = at('2026-03-29T12:02:30Z') * 1_000
    assert.equal(momentText(micros, 'Europe/Berlin'), '2026-03-29 14:02 Europe/Berlin')
    assert.equal(spanText(micros, micros + 7_140e6, 'UTC'), '2026-03-29 12:02 and 14:01 UTC')
    assert.equal(spanText(micros, micros + 86_400e6, 'UTC'), '2026-03-29 12:02 and 2026-03-30 12:02 UTC')
  })
})
