import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  floorTo,
  instantOf,
  instantText,
  isTimeText,
  moved,
  spanOf,
  type DateUnit,
} from '../../../../engine/domain/query/instant.js'
import { SeededRandom } from '../../../../engine/rng.js'

const now = Date.UTC(2026, 1, 11, 13, 45, 30) * 1000 + 5
const context = { nowMicros: now, offsetMinutes: 0 }

function span(text: string | number, offsetMinutes = 0): [string, string] | null {
  const found = spanOf(text, { nowMicros: now, offsetMinutes })
  return found === null ? null : [instantText(found.first), instantText(found.last)]
}

describe('an instant', () => {
  it('stands for the span that its date names', () => {
    assert.deepEqual(span('2026'), ['2026-01-01T00:00:00.000000Z', '2026-12-31T23:59:59.999999Z'])
    assert.deepEqual(span('2024-02'), ['2024-02-01T00:00:00.000000Z', '2024-02-29T23:59:59.999999Z'])
    assert.deepEqual(span('2026-01-31'), ['2026-01-31T00:00:00.000000Z', '2026-01-31T23:59:59.999999Z'])
    assert.deepEqual(span('2026-01-31T09:05Z'), ['2026-01-31T09:05:00.000000Z', '2026-01-31T09:05:59.999999Z'])
    assert.deepEqual(span('2026-01-31 09:05:01'), ['2026-01-31T09:05:01.000000Z', '2026-01-31T09:05:01.999999Z'])
    assert.deepEqual(span('2026-01-31T09:05:01.25'), ['2026-01-31T09:05:01.250000Z', '2026-01-31T09:05:01.259999Z'])
    assert.deepEqual(span('2026-01-31T09:05:01.123456789+02:00'), [
      '2026-01-31T07:05:01.123456Z',
      '2026-01-31T07:05:01.123456Z',
    ])
  })

  it('is of the offset that the question names where it has none of its own', () => {
    assert.deepEqual(span('2026-01-31', 60), ['2026-01-30T23:00:00.000000Z', '2026-01-31T22:59:59.999999Z'])
    assert.deepEqual(span('2026-01-31T00:00:00Z', 60), ['2026-01-31T00:00:00.000000Z', '2026-01-31T00:00:00.999999Z'])
  })

  it('is counted in the unit that its size tells', () => {
    for (const text of [1_769_850_300, 1_769_850_300_000, 1_769_850_300_000_000, '1769850300', '1769850300000'])
      assert.equal(span(text)?.[0], '2026-01-31T09:05:00.000000Z')
    assert.equal(instantOf(7), null)
    assert.equal(instantOf('7'), null)
    assert.equal(instantOf(1_769_850_300), Date.UTC(2026, 0, 31, 9, 5) * 1000)
  })

  it('is reckoned with: steps, and the beginning and the end of units', () => {
    assert.deepEqual(span('now'), ['2026-02-11T13:45:30.000005Z', '2026-02-11T13:45:30.000005Z'])
    assert.equal(span('now-1d')?.[0], '2026-02-10T13:45:30.000005Z')
    assert.deepEqual(span('now-1d/d'), ['2026-02-10T00:00:00.000000Z', '2026-02-10T23:59:59.999999Z'])
    assert.deepEqual(span('now/w'), ['2026-02-09T00:00:00.000000Z', '2026-02-15T23:59:59.999999Z'])
    assert.deepEqual(span('now/M+1h'), ['2026-02-01T01:00:00.000000Z', '2026-03-01T00:59:59.999999Z'])
    assert.equal(span('2024-01-31T10:00:00Z||+1M')?.[0], '2024-02-29T10:00:00.000000Z')
    assert.equal(span('2024-02-29||-1y')?.[0], '2023-02-28T00:00:00.000000Z')
    assert.deepEqual(span('now/d', 120), ['2026-02-10T22:00:00.000000Z', '2026-02-11T21:59:59.999999Z'])
    assert.deepEqual(span('2026||/y')?.[1], '2026-12-31T23:59:59.999999Z')
  })

  it('is none where the text is no date', () => {
    for (const text of [
      '',
      'yesterday',
      '2026-13',
      '2026-02-30',
      '2026-01-31T24:01',
      '2026-01-31T09:60',
      'now-',
      'now-1x',
      'now+1',
      '1-2-2026',
      '2026-01-31T',
      '||+1d',
    ]) {
      assert.equal(spanOf(text, context), null, text)
    }
    assert.equal(spanOf(true, context), null)
    assert.ok(isTimeText('2026-01-31') && !isTimeText('2026-01') && !isTimeText('10.0.0.7'))
  })

  it('is none outside of the years 0 to 9999', () => {
    for (const value of [1e22, 1e300, '9999-12-31T23:59:59-01:00', '0000-01-01T00:00:00+01:00'])
      assert.equal(instantOf(value), null, String(value))
    for (const value of ['9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z'])
      assert.equal(instantText(instantOf(value) as number), value.replace('Z', '.000000Z'))
    for (const count of [1e22, -1e22, 1e300, Number.POSITIVE_INFINITY])
      assert.equal(spanOf(count, context), null, String(count))
  })

  it('lies in the unit that it is floored to, and the next one begins where that ends', () => {
    const random = new SeededRandom(3)
    for (let round = 0; round < 3_000; round++) {
      const micros = Math.floor(random.nextFloat() * 8e15 - 2e15)
      const unit = random.pick<DateUnit>(['y', 'q', 'M', 'w', 'd', 'h', 'm', 's'])
      const offset = random.pick([0, 60, -210, 765])
      const start = floorTo(micros, unit, offset)
      const next = moved(start, unit, 1, offset)
      assert.ok(start <= micros && micros < next, `${micros} ${unit} ${offset}`)
      assert.equal(floorTo(start, unit, offset), start)
      assert.equal(floorTo(next - 1, unit, offset), start)
      assert.equal(moved(next, unit, -1, offset), start)
    }
  })
})
