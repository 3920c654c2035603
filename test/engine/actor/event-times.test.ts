import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Random } from '../../../bench/streams/random.js'
import { EventTimes } from '../../../engine/actor/event-times.js'
import { noBasis } from '../../../engine/domain/decide/decision-basis.js'
import { noDecision } from '../../../engine/domain/decide/decision.js'
import { eventTimeFields } from '../../../engine/domain/event/event-time-fields.js'
import { timeOf } from '../../../engine/domain/event/event-time.js'
import { isJsonObject, parseJson } from '../../../engine/domain/event/json.js'
import { Path, valuesAt } from '../../../engine/domain/event/path.js'
import { BodyCodec } from '../../../engine/store/body-codec.js'
import { MemoryEnvironment } from '../../../engine/store/memory-store.js'
import { encodeRecord, newHeader } from '../../../engine/store/event-record.js'
import { HEADER_BYTES, NO_OWN_TIME } from '../../../engine/store/record-header.js'

const NOW = Date.UTC(2026, 2, 1) * 1000
const OWN = '2026-01-30T10:00:00.123456Z'
const OWN_MICROS = Date.UTC(2026, 0, 30, 10) * 1000 + 123_456
/** How Go and .NET write a time that was never set. */
const YEAR_1 = Date.parse('0001-01-01T00:00:00Z') * 1000
const LATER = '2026-02-02T00:00:00Z'

function read(body: Record<string, unknown>, timeField: string | null = null): { micros: number; odd: unknown } {
  const codec = new BodyCodec(new MemoryEnvironment(['shapes', 'words']))
  const times = new EventTimes(codec, timeField)
  return { micros: times.read(Buffer.from(codec.encode(body)), NOW), odd: times.odd }
}

/** A body with a value at a path. */
function bodyAt(path: string, value: unknown): Record<string, unknown> {
  return path
    .split('.')
    .reverse()
    .reduce<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>
}

/** Values that a field for times has, by number of the body: some repeat, as words do. */
const timeValues: readonly ((n: number) => unknown)[] = [
  (n) => new Date(NOW / 1000 - n * 1_000).toISOString(),
  () => OWN,
  () => LATER,
  () => '2026-01-30 10:00:00,5 +01:00',
  () => 'Jan 30 10:00:00',
  () => '0001-01-01T00:00:00Z',
  () => '2036-01-01T00:00:00Z',
  (n) => NOW / 1e6 - n + 0.25,
  (n) => NOW / 1e3 - n,
  () => 134_168_832_000_000_000,
  () => String(NOW * 1000),
  () => 17,
  () => '',
  () => 'bad',
  () => null,
  () => true,
  () => [],
  () => ({}),
  (n) => ['bad', NOW / 1e3 - n],
  () => [null, { b: OWN }],
]

/** The same by the paths alone, in the body as an object. */
function firstTimeOf(body: Record<string, unknown>, fields: readonly string[]): number {
  for (const field of fields)
    for (const value of valuesAt(body, new Path(field)).flat(9)) {
      const micros = isJsonObject(value) ? null : timeOf(value, NOW)
      if (micros !== null && micros !== YEAR_1) return micros
    }
  return NO_OWN_TIME
}

describe('the own time of a body', () => {
  for (const [at, field] of eventTimeFields.entries())
    it(`is read at ${field}, before the fields that come after it`, () => {
      for (const later of eventTimeFields.slice(at + 1)) {
        if (later.startsWith(`${field}.`)) continue
        assert.deepEqual(read({ [later]: LATER, ...bodyAt(field, OWN) }), { micros: OWN_MICROS, odd: null }, later)
        assert.deepEqual(read({ ...bodyAt(field, 'bad'), [later]: OWN }), { micros: OWN_MICROS, odd: null }, later)
      }
      assert.equal(read({ rule: 'a', [field]: OWN }).micros, OWN_MICROS)
    })

  it('is that of the setting before all others', () => {
    for (const timeField of ['at', 'a.b', '@timestamp', 'a.b.c'])
      for (const body of [bodyAt(timeField, OWN), { [timeField]: OWN }])
        assert.equal(read({ timestamp: LATER, ...body }, timeField).micros, OWN_MICROS)
    for (const body of [{ a: { 'b.c': OWN } }, { a: [{ name: 'b.c', value: OWN }] }, { x: 1, 'a.b': { c: OWN } }])
      assert.equal(read({ timestamp: LATER, ...body }, 'a.b.c').micros, OWN_MICROS, JSON.stringify(body))
    assert.deepEqual(read({ at: 'bad' }, 'at'), {
      micros: NO_OWN_TIME,
      odd: { kind: 'unread_time', field: 'at', value: 'bad' },
    })
  })

  const odd: readonly [string, Record<string, unknown>, string | null][] = [
    ['a word', { '@timestamp': 'bad' }, 'bad'],
    ['a number that counts nothing', { timestamp: 17 }, '17'],
    ['a word in a field of Zeek', { ts: 'bad' }, 'bad'],
    ['a count of another unit', { time: 5e11 }, '500000000000'],
    ['a date whose order is not known', { start: '03/01/2026 10:00' }, '03/01/2026 10:00'],
    ['the first of two', { '@timestamp': 'bad', rt: 'worse' }, 'bad'],
    ['an empty text', { '@timestamp': '' }, null],
    ['null, and nothing else', { '@timestamp': null, ts: [], time: {} }, null],
    ['a length of time', { time: 0.25, start: 0, end: 90 }, null],
    ['a word where a phrase begins', { start: 'GET', end: 'HTTP/1.1' }, null],
    ['a switch', { timestamp: true }, null],
  ]
  for (const [name, body, value] of odd)
    it(`is not read: ${name}, which is ${value === null ? 'not ' : ''}told`, () => {
      const { micros, odd: found } = read(body)
      assert.equal(micros, NO_OWN_TIME)
      assert.equal((found as { value: string } | null)?.value ?? null, value)
    })

  it('is told where it is more than an hour ahead', () => {
    const at = (minutes: number): string => new Date(NOW / 1000 + minutes * 60_000).toISOString()
    assert.equal(read({ time: at(60) }).odd, null)
    assert.deepEqual(read({ time: at(61) }).odd, { kind: 'time_ahead', field: 'time', value: at(61) })
  })

  it('is that of a record, with the rule for bodies where a record has none beside it', () => {
    const codec = new BodyCodec(new MemoryEnvironment(['shapes', 'words']))
    const header = newHeader(noDecision, {
      pending: false,
      lacksPoints: false,
      hasClientId: false,
      bucketId: null,
      enrichments: 'none',
      autonomy: 'none',
      basis: noBasis,
    })
    for (const [body, own, first] of [
      [{ ts: OWN }, 5, OWN_MICROS],
      [{ rule: 'a' }, NO_OWN_TIME, NOW],
    ] as const) {
      const record = encodeRecord(header, { body: Buffer.from(codec.encode(body)), extras: null, clientId: null }, own)
      const times = new EventTimes(codec)
      assert.equal(times.of(record, NOW), own === NO_OWN_TIME ? NOW : own)
      // As records were before own times were stored.
      const old = Buffer.concat([Buffer.of(1), record.subarray(1, HEADER_BYTES), record.subarray(HEADER_BYTES + 8)])
      assert.equal(times.of(old, NOW), first)
    }
  })

  it('is that of the first path that leads to a time, whatever the shape of the body', () => {
    const random = new Random(7)
    const pick = <T>(items: readonly T[]): T => items[random.below(items.length)] as T
    const codec = new BodyCodec(new MemoryEnvironment(['shapes', 'words']))
    const settings = [null, 'at', 'a.b', 'timestamp'] as const
    const readers = new Map(settings.map((timeField) => [timeField, new EventTimes(codec, timeField)]))
    const found = new Set<boolean>()
    for (let round = 0; round < 5_000; round++) {
      const timeField = pick(settings)
      const fields = [...(timeField === null ? [] : [timeField]), ...eventTimeFields]
      const body: Record<string, unknown> = {}
      for (let count = 1 + random.below(5); count > 0; count--) {
        const [field, value] = [pick([...fields, 'rule']), pick(timeValues)(round)]
        Object.assign(body, random.below(2) === 0 ? { [field]: value } : bodyAt(field, value))
      }
      const decoded = parseJson(JSON.stringify(body)) as Record<string, unknown>
      const micros = (readers.get(timeField) as EventTimes).read(Buffer.from(codec.encode(decoded)), NOW)
      assert.equal(micros, firstTimeOf(decoded, fields), JSON.stringify([timeField, body]))
      found.add(micros !== NO_OWN_TIME)
    }
    assert.equal(found.size, 2)
  })

  it('has no signs that only look like digits', () => {
    for (const text of ['２０２６-01-30T10:00:00Z', '2026-01-30T10:00:00ĺ', '\u0132026-01-30T10:00:00Z'])
      assert.equal(read({ time: text }).micros, NO_OWN_TIME)
  })
})
