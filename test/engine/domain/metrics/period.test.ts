import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { intervalCount, Intervals, parseInterval, type Interval } from '../../../../engine/domain/metrics/period.js'
import { SeededRandom } from '../../../../engine/rng.js'

const DAY = 86_400_000_000
const midnight = Date.parse('2026-03-01T00:00:00Z') * 1000

describe('an interval', () => {
  it('is a number and a unit', () => {
    assert.equal(parseInterval('1d')?.micros, DAY)
    assert.equal(parseInterval(' 2W ')?.micros, 14 * DAY)
    assert.equal(parseInterval('90m')?.micros, DAY / 16)
    for (const wrong of ['', '0d', 'd', '1y', '-1d', '1.5h', '1d1h', '9999999d', '1M'])
      assert.equal(parseInterval(wrong), null)
  })
})

describe('intervals', () => {
  it('begin at midnight and are cut to the period', () => {
    const { periods } = new Intervals({ from: midnight + 5, to: midnight + 2 * DAY + 7 }, parseInterval('1d'))
    assert.deepEqual(periods, [
      { from: midnight + 5, to: midnight + DAY },
      { from: midnight + DAY, to: midnight + 2 * DAY },
      { from: midnight + 2 * DAY, to: midnight + 2 * DAY + 7 },
    ])
  })

  it('are one without an interval, none in an empty period', () => {
    assert.deepEqual(new Intervals({ from: 3, to: 9 }, null).periods, [{ from: 3, to: 9 }])
    assert.deepEqual(new Intervals({ from: 3, to: 3 }, null).periods, [])
    assert.deepEqual(new Intervals({ from: 9, to: 3 }, parseInterval('1d')).periods, [])
  })

  it('cover any period side by side, and each time is in the one that it is placed in', () => {
    const random = new SeededRandom(9)
    for (let round = 0; round < 300; round++) {
      const interval = parseInterval(`${1 + random.below(30)}${random.pick(['m', 'h', 'd'])}`) as Interval
      const from = midnight + random.below(2 ** 31) * 1000
      const period = { from, to: from + 1 + random.below(40) * Math.floor(interval.micros / 3) }
      const intervals = new Intervals(period, interval)
      const { periods } = intervals
      assert.equal(periods.length, intervalCount(period, interval))
      assert.equal(periods[0]?.from, period.from)
      assert.equal(periods.at(-1)?.to, period.to)
      for (let i = 1; i < periods.length; i++) assert.equal(periods[i]?.from, periods[i - 1]?.to)
      const time = from + Math.floor((period.to - from) * (random.below(1000) / 1000))
      const own = periods[intervals.placeOf(time)]
      assert.ok(own !== undefined && own.from <= time && time < own.to)
    }
  })
})
