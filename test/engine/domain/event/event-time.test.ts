import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isoTimeAt, isTimeText, looksLikeTime, timeOf } from '../../../../engine/domain/event/event-time.js'
import { SeededRandom } from '../../../../engine/rng.js'
import { afterwards } from '../../../support/afterwards.js'

const near = Date.UTC(2026, 2, 2, 12) * 1000

/** ISO 8601 with microseconds. */
function shown(micros: number | null): string | null {
  if (micros === null) return null
  const ms = Math.floor(micros / 1000)
  return `${new Date(ms).toISOString().slice(0, -1)}${String(1000 + (micros - ms * 1000)).slice(1)}`
}

function fromBytes(text: string): number {
  const bytes = Buffer.from(`xx${text}yy`)
  return isoTimeAt(bytes, 2, bytes.length - 2)
}

/** Forms of one instant, 2026-03-01T10:00:00Z, unless another is given. */
const right: readonly (readonly [string | number, string?])[] = [
  // ISO 8601
  ['2026-03-01T10:00:00Z'],
  ['2026-03-01T10:00:00'],
  ['2026-03-01T10:00Z'],
  ['2026-03-01T10Z'],
  ['2026-03-01t10:00:00z'],
  ['2026-03-01 10:00:00'],
  ['2026-03-01 10:00:00Z'],
  ['2026-03-01 10:00:00 UTC'],
  ['2026-03-01 10:00:00 +0000'],
  ['2026-03-01T10:00:00 GMT'],
  ['2026-03-01_10:00:00'],
  ['2026-03-01T11:00:00+01:00'],
  ['2026-03-01T11:00:00+0100'],
  ['2026-03-01T11:00:00+01'],
  ['2026-03-01T15:30:00+05:30'],
  ['2026-03-01T04:30:00-0530'],
  ['2026-03-01T05:00:00-05'],
  ['2026-03-01T10:00:00-00:00'],
  ['2026-03-01T10:00:00.000Z'],
  ['2026-03-01T10:00:00.1Z', '2026-03-01T10:00:00.100000'],
  ['2026-03-01T10:00:00.12Z', '2026-03-01T10:00:00.120000'],
  ['2026-03-01T10:00:00.123Z', '2026-03-01T10:00:00.123000'],
  ['2026-03-01T10:00:00.123456Z', '2026-03-01T10:00:00.123456'],
  ['2026-03-01T10:00:00.1234567Z', '2026-03-01T10:00:00.123456'],
  ['2026-03-01T10:00:00.123456789Z', '2026-03-01T10:00:00.123456'],
  ['2026-03-01T10:00:00.123456789012Z', '2026-03-01T10:00:00.123456'],
  ['2026-03-01T10:00:00.999999999Z', '2026-03-01T10:00:00.999999'],
  ['2026-03-01T10:00:00,123Z', '2026-03-01T10:00:00.123000'],
  ['2026-03-01 10:00:00,123', '2026-03-01T10:00:00.123000'],
  ['2026-03-01 10:00:00:123', '2026-03-01T10:00:00.123000'],
  ['2026-03-01T11:00:00.123456+01:00', '2026-03-01T10:00:00.123456'],
  ['2026-03-01T11:00:00.123+0100', '2026-03-01T10:00:00.123000'],
  ['2026-03-01T10:00:00.123 UTC', '2026-03-01T10:00:00.123000'],
  ['2026-02-28T24:00:00Z', '2026-03-01T00:00:00.000000'],
  ['2026-02-28T24:00Z', '2026-03-01T00:00:00.000000'],
  ['2026-12-31T23:59:60Z', '2027-01-01T00:00:00.000000'],
  ['2026-12-31T23:59:60.5Z', '2027-01-01T00:00:00.500000'],
  ['2027-01-01T05:29:60+05:30', '2027-01-01T00:00:00.000000'],
  ['2026-03-01T11:00:00+01:00[Europe/Berlin]'],
  ['2026-03-01T11:00:00[Europe/Berlin]'],
  ['2026-03-01T11:00:00+01:00[Europe/Berlin][u-ca=iso8601]'],
  ['2026-03-01T10:00:00Z[UTC]'],
  ['2026-03-01 11:00:00 Europe/Berlin'],
  ['2026-03-01T05:00:00[America/New_York]'],
  ['2026-07-01T12:00:00[Europe/Berlin]', '2026-07-01T10:00:00.000000'],
  ['2026-03-01 11:00:00 CET'],
  ['2026-03-01 05:00:00 EST'],
  ['2026-03-01 19:00:00 JST'],
  ['2026-03-01', '2026-03-01T00:00:00.000000'],
  ['2026-03-01Z', '2026-03-01T00:00:00.000000'],
  ['2026-03-01+01:00', '2026-02-28T23:00:00.000000'],
  ['20260301T100000Z'],
  ['20260301T100000.123Z', '2026-03-01T10:00:00.123000'],
  ['20260301T110000+0100'],
  ['20260301T1000Z'],
  ['20260301 100000'],
  ['20260301-10:00:00.123', '2026-03-01T10:00:00.123000'],
  ['20260301', '2026-03-01T00:00:00.000000'],
  ['20260301100000'],
  [20260301100000],
  ['202603011000'],
  ['20260301100000Z'],
  ['20260301100000.123456+000', '2026-03-01T10:00:00.123456'],
  ['20260301110000.123456+060', '2026-03-01T10:00:00.123456'],
  ['2026-W09-7T10:00:00Z'],
  ['2026-W09-7', '2026-03-01T00:00:00.000000'],
  ['2026W097T10:00Z'],
  ['2026-W53-5', '2027-01-01T00:00:00.000000'],
  ['2026-060T10:00:00Z'],
  // Loosely
  ['2026/03/01 10:00:00'],
  ['2026/03/01 10:00:00.123456', '2026-03-01T10:00:00.123456'],
  ['2026/3/1 10:00'],
  ['2026-3-1 10:00:00'],
  ['2026-03-01 10:00:00 AM'],
  ['2026-03-01 10:00 PM', '2026-03-01T22:00:00.000000'],
  ['2026-03-01 12:00:00 AM', '2026-03-01T00:00:00.000000'],
  ['2026.03.01 10:00:00'],
  ['2026:03:01-10:00:00'],
  ['2026-03-01-10.00.00.123456', '2026-03-01T10:00:00.123456'],
  ['  2026-03-01T10:00:00Z  '],
  ['2026-03-01\u00a010:00:00'],
  // RFC 2822, RFC 850, asctime, the common log format
  ['Sun, 01 Mar 2026 10:00:00 +0000'],
  ['Sun, 1 Mar 2026 10:00:00 GMT'],
  ['Sun, 01 Mar 2026 05:00:00 EST'],
  ['Sun, 01 Mar 2026 02:00:00 PST'],
  ['Sun, 01 Mar 2026 10:00:00 UT'],
  ['Sun, 01 Mar 2026 11:00:00 +0100 (CET)'],
  ['01 Mar 2026 10:00:00 +0000'],
  ['1 Mar 2026 10:00'],
  ['Sunday, 01-Mar-26 10:00:00 GMT'],
  ['Sun, 01-Mar-2026 10:00:00 GMT'],
  ['Sun Mar  1 10:00:00 2026'],
  ['Sun Mar  1 10:00:00 UTC 2026'],
  ['Sun Mar 01 10:00:00 +0000 2026'],
  ['Sun Mar 1 10:00:00.123456 2026', '2026-03-01T10:00:00.123456'],
  ['Sun Mar 1 10:00:00 2026 +0000'],
  ['Sun Mar 01 2026 10:00:00 GMT+0000 (Coordinated Universal Time)'],
  ['Sun Mar 01 2026 11:00:00 GMT+01:00'],
  ['01/Mar/2026:10:00:00 +0000'],
  ['[01/Mar/2026:11:00:00 +0100]'],
  ['01/Mar/2026:10:00:00.123 +0000', '2026-03-01T10:00:00.123000'],
  ['1Mar2026 10:00:00'],
  ['01-Mar-2026 10:00:00.123', '2026-03-01T10:00:00.123000'],
  ['01-MAR-26 10.00.00.123456 AM', '2026-03-01T10:00:00.123456'],
  ['Mar 1, 2026 @ 10:00:00.123', '2026-03-01T10:00:00.123000'],
  ['March 1, 2026 10:00:00 AM'],
  ['Mar 1, 2026, 10:00:00 AM'],
  ['Mar 1, 2026, 10:00:00\u202fPM', '2026-03-01T22:00:00.000000'],
  ['March 1, 2026 at 10:00 AM UTC'],
  ['March 1st, 2026 10:00'],
  ['Mar 01 2026 10:00:00'],
  ['Mar 01 2026 10:00:00.123 UTC', '2026-03-01T10:00:00.123000'],
  ['mar 01 2026 10:00:00'],
  ['Sept 1, 2026 10:00', '2026-09-01T10:00:00.000000'],
  ['Mar 1, 2026', '2026-03-01T00:00:00.000000'],
  ['01 Mar 2026', '2026-03-01T00:00:00.000000'],
  // Without a year: that which is nearest to 2026-03-02, and not far ahead of it
  ['Mar 01 10:00:00'],
  ['Mar  1 10:00:00'],
  ['Mar 01 10:00:00.123', '2026-03-01T10:00:00.123000'],
  ['Mar 01 10:00:00 UTC'],
  ['Mar 01 05:00:00.123 EST', '2026-03-01T10:00:00.123000'],
  ['Mar 01 11:00:00 +0100'],
  ['Mar 01 11:00:00 Europe/Berlin'],
  ['Sun Mar  1 10:00:00'],
  ['*Mar  1 10:00:00.123:', '2026-03-01T10:00:00.123000'],
  ['Dec 31 23:00:00', '2025-12-31T23:00:00.000000'],
  ['Apr 05 12:00:00', '2026-04-05T12:00:00.000000'],
  ['Apr 07 12:00:00', '2025-04-07T12:00:00.000000'],
  ['Aug 31 12:00:00', '2025-08-31T12:00:00.000000'],
  ['Sep 30 12:00:00', '2025-09-30T12:00:00.000000'],
  ['Feb 29 10:00:00', '2024-02-29T10:00:00.000000'],
  // Day, month, year, where there is one way only
  ['13/03/2026 10:00:00', '2026-03-13T10:00:00.000000'],
  ['03/13/2026 10:00:00 PM', '2026-03-13T22:00:00.000000'],
  ['3/3/2026, 10:00:00 AM', '2026-03-03T10:00:00.000000'],
  ['01.03.2026 10:00:00'],
  ['13-03-2026 10:00', '2026-03-13T10:00:00.000000'],
  // Counts
  [1772359200],
  [1772359200.1, '2026-03-01T10:00:00.100000'],
  [1772359200.123456, '2026-03-01T10:00:00.123456'],
  [1772359200123, '2026-03-01T10:00:00.123000'],
  [1772359200123.5, '2026-03-01T10:00:00.123500'],
  [1772359200123456, '2026-03-01T10:00:00.123456'],
  ['1772359200'],
  ['1772359200.123456', '2026-03-01T10:00:00.123456'],
  ['1772359200,5', '2026-03-01T10:00:00.500000'],
  ['1772359200123', '2026-03-01T10:00:00.123000'],
  ['1772359200123.456', '2026-03-01T10:00:00.123456'],
  ['1772359200123456', '2026-03-01T10:00:00.123456'],
  ['1772359200123456789', '2026-03-01T10:00:00.123456'],
  [1.7723592e9],
  ['1.7723592e9'],
  ['1.7723592E+9'],
  ['1.772359200123E12', '2026-03-01T10:00:00.123000'],
  ['/Date(1772359200000)/'],
  ['\\/Date(1772359200000)\\/'],
  ['/Date(1772359200000+0100)/'],
  ['134168328000000000'],
  [134168328000000000],
  ['134168328001234567', '2026-03-01T10:00:00.123456'],
  ['639079560001234567', '2026-03-01T10:00:00.123456'],
]

const wrong: readonly unknown[] = [
  ...[
    '',
    ' ',
    'web-2',
    'web-02',
    'host-2026',
    '2026',
    '2026-03',
    '12',
    '7',
    '0',
    '-1',
    '1',
    '100',
    'null',
    'soon',
    'now',
  ],
  ...[
    'Mar',
    'May',
    'March',
    'Sunday',
    'Mar 1',
    '1 Mar',
    'May 2026',
    'Mar 2026',
    'now-1d',
    'true',
    'T10:00',
    '10:00',
    '10:00:00',
  ],
  ...['+1 202 555 0123', '202-555-0123', '+4930123456', '(030) 123456', '030/123456', '0049 30 123456', '555-0123'],
  ...[
    '1.2.3',
    '1.2.3.4',
    '10.0.0.7',
    '192.0.2.7',
    '2026.03.01',
    '26.3.1',
    'v2026-03-01',
    '1.7',
    '17.7723592',
    '2001:db8::1',
  ],
  ...[
    '2026-03-01-0001',
    'INC-2026-03-01',
    '2026-0301',
    '2026-03-01x',
    '2026-03-01T',
    '2026-03-01T10:00:00Zx',
    '2026-13-01',
  ],
  ...['2026-02-29', '2026-02-30T10:00:00Z', '2026-00-01', '2026-01-00', '2026-04-31', '2026-01-32', '2026-1-31T25:00'],
  ...[
    '2026-03-01T24:00:01Z',
    '2026-03-01T24:30',
    '2026-03-01T10:60:00Z',
    '2026-03-01T10:00:61Z',
    '2026-03-01T1:2:3',
    '20261301',
  ],
  ...['2026-03-01T10:00:00+19:00', '2026-03-01T10:00:00+01:60', '2026-03-01T10:00:00 BST', '2026-03-01T10:00:00 IST'],
  ...[
    '2026-03-01T10:00:00 XYZ',
    '2026-03-01T10:00:00[Europe/Nowhere]',
    '2026-03-01T10:00:00[Berlin]',
    '2026-W54-1',
    '2026-W00-1',
  ],
  ...[
    '2025-W53-1',
    '2026-366T10:00Z',
    '2026-000T10:00Z',
    '2026-060',
    '2026-03-01 13:00 PM',
    '2026-03-01 0:30 AM',
    '19000101000000',
  ],
  ...[
    '03/01/2026',
    '03/01/2026 10:00:00 AM',
    '1/2/2026',
    '13/13/2026',
    '32/01/2026',
    '01-03-2026 10:00:00',
    '01.03.2026',
    '03/01/26',
  ],
  ...[
    'Sun, 32 Mar 2026 10:00:00 GMT',
    'Foo, 01 Mar 2026 10:00:00 GMT',
    'Mai 1, 2026 10:00',
    'Web 01 10:00:00',
    'Mar 32 10:00:00',
  ],
  ...[
    'Mar 01 25:00:00',
    'Sun Mar 01',
    '01/Foo/2026:10:00:00 +0000',
    'Marc 1, 2026 10:00',
    'Mar 1 2026 10',
    'Feb 30 10:00:00',
  ],
  ...[
    '123456789',
    '5000000000',
    '99999999999',
    '1e3',
    '1e30',
    '1e999',
    '0x69a40e20',
    '1772359200s',
    '1772359200 123',
    '00001772359200',
  ],
  ...[
    '9e99',
    '-1772359200',
    '/Date()/',
    '/Date(x)/',
    '550e8400-e29b-41d4-a716-446655440000',
    '5f4dcc3b5aa765d61d8327deb882cf99',
  ],
  ...[`2026-03-01T10:00:00${'0'.repeat(200)}`, 'a'.repeat(1000), '\u0000', '2026-03-01T10:00:00Z 2026-03-01T10:00:00Z'],
  ...[
    0,
    1,
    12,
    443,
    2026,
    -5,
    1e8,
    123456789,
    20260301,
    5e9,
    1e11,
    9e12,
    1e20,
    1e300,
    Number.NaN,
    Infinity,
    -1772359200,
  ],
  ...[true, false, null, undefined, {}, [], ['2026-03-01'], 10n],
]

describe('a time', () => {
  for (const [value, wanted = '2026-03-01T10:00:00.000000'] of right)
    it(`is read from ${JSON.stringify(value)}`, () => assert.equal(shown(timeOf(value, near)), wanted))

  it('is not read from anything else', () => {
    for (const value of wrong) assert.equal(timeOf(value, near), null, String(value))
  })

  it('does not depend on the zone of the process', (context) => {
    const zone = process.env.TZ
    afterwards(context, () => (zone === undefined ? delete process.env.TZ : (process.env.TZ = zone)))
    for (const other of ['America/New_York', 'Asia/Kolkata', 'Pacific/Auckland']) {
      process.env.TZ = other
      for (const [value, wanted = '2026-03-01T10:00:00.000000'] of right)
        assert.equal(shown(timeOf(value, near)), wanted, `${value} in ${other}`)
    }
  })

  it('without a year is read near the arrival only', () => {
    assert.equal(timeOf('Mar 01 10:00:00'), null)
    const at = (iso: string): number => Date.parse(iso) * 1000
    assert.equal(shown(timeOf('Dec 31 23:59:59', at('2027-01-01T00:00:05Z'))), '2026-12-31T23:59:59.000000')
    assert.equal(shown(timeOf('Jan  1 00:00:05', at('2026-12-31T23:59:59Z'))), '2027-01-01T00:00:05.000000')
    assert.equal(shown(timeOf('Feb 29 00:00:00', at('2027-06-01T00:00:00Z'))), '2024-02-29T00:00:00.000000')
    assert.equal(shown(timeOf('Mar 01 10:00:00', at('2026-11-29T00:00:00Z'))), '2026-03-01T10:00:00.000000')
    assert.equal(shown(timeOf('Jan 03 00:00:00', at('2026-11-30T00:00:00Z'))), '2027-01-03T00:00:00.000000')
    assert.equal(shown(timeOf('Feb 29 00:00:00', at('2026-01-01T00:00:00Z'))), '2024-02-29T00:00:00.000000')
  })

  it('is written and read again, in every form, to the microsecond', () => {
    const random = new SeededRandom(39)
    const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
    for (let round = 0; round < 1_000; round++) {
      const micros = Math.floor((700_000_000 + random.nextFloat() * 3.4e9) * 1e6)
      const offset = random.pick([0, 60, -300, 330, 345, 765, -570, 1])
      const local = micros + offset * 60e6
      const iso = shown(local) as string
      const [date, clock] = iso.split('T') as [string, string]
      const [year, month, day] = date.split('-') as [string, string, string]
      const size = Math.abs(offset)
      const two = (n: number): string => String(n).padStart(2, '0')
      const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
      const flat = zone.replace(':', '')
      const name = months[Number(month) - 1] as string
      const forms = [
        `${iso}${zone}`,
        `${iso}${flat}`,
        `${iso.replace('T', ' ').replace('.', ',')} ${flat}`,
        `${date.replaceAll('-', '')}T${clock.replaceAll(':', '')}${zone}`,
        `${day}/${name}/${year}:${clock} ${flat}`,
        `${Number(day)} ${name} ${year} ${clock} ${zone}`,
        `${name} ${day} ${year} ${clock} ${flat}`,
        `${String(Math.floor(micros / 1e6))}.${String(micros % 1e6).padStart(6, '0')}`,
        String(micros),
        `${micros}${random.below(1000).toString().padStart(3, '0')}`,
        String((BigInt(micros) + 11_644_473_600_000_000n) * 10n + BigInt(random.below(10))),
        micros,
      ]
      for (const text of forms) assert.equal(timeOf(text), micros, String(text))
      // A double of seconds has a quarter of a microsecond of room in these years.
      assert.ok(Math.abs((timeOf(micros / 1e6) as number) - micros) <= 1)
      assert.equal(fromBytes(`${iso}${zone}`), micros)
    }
  })

  it('is the same from bytes where it is of the usual form, and from text', () => {
    let usual = 0
    for (const value of [...right.map(([text]) => text), ...wrong]) {
      if (typeof value !== 'string') continue
      const found = fromBytes(value)
      if (Number.isNaN(found)) continue
      usual++
      assert.equal(found, timeOf(value, near), value)
    }
    assert.ok(usual > 20)
    const random = new SeededRandom(7)
    const signs = '0123456789:.-+TZtz, '
    for (let round = 0; round < 20_000; round++) {
      const text = [...'2026-03-01T10:00:00.123456+01:00'.slice(0, 19 + random.below(14))]
      for (let changes = random.below(3); changes >= 0; changes--)
        text[random.below(text.length)] = signs[random.below(signs.length)] as string
      const found = fromBytes(text.join(''))
      if (!Number.isNaN(found)) assert.equal(found, timeOf(text.join(''), near), text.join(''))
    }
  })

  it('may be known as one by a text that cannot be read', () => {
    for (const text of [
      '03/01/2026 10:00:00 AM',
      '2026-02-30T10:00:00Z',
      '2026-03-01 10:00:00 BST',
      'Mai 1, 2026 10:00:00',
      '1/2/2026',
    ])
      assert.deepEqual([timeOf(text, near), looksLikeTime(text)], [null, true], text)
    for (const text of [
      'web-2',
      '12',
      '00:05:10.500',
      '10:00',
      '12ms',
      '5 minutes',
      '1.2.3.4',
      '1.2.3',
      'PT5M',
      '2026',
      '',
      '100',
    ])
      assert.equal(looksLikeTime(text), false, text)
    for (const text of ['2026-03-01', 'Sun, 01 Mar 2026 10:00:00 GMT', '2026-03-01T10:00:00Z'])
      assert.ok(isTimeText(text))
    for (const text of ['1772359200', '20260301', '1.7e9', '10.0.0.7', 'web-2']) assert.ok(!isTimeText(text), text)
  })
})
