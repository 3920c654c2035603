import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { noBasis } from '../../../engine/domain/decide/decision-basis.js'
import type { DecisionSource } from '../../../engine/domain/decide/decision.js'
import { SeededRandom } from '../../../engine/rng.js'
import {
  bodyOf,
  clientIdOf,
  decodeContent,
  decodeHeader,
  decodePrevious,
  encodeRecord,
  hasNotes,
  ownMicrosOf,
  withHeader,
  withBody,
  withNotes,
  withPrevious,
  type RecordHeader,
} from '../../../engine/store/event-record.js'

const flags = ['pending', 'outlier', 'lacksPoints', 'hasFeedback', 'hasClientId'] as const
const content = { body: Buffer.from([7, 0, 1, 4, 5]), extras: { title: 'T' }, clientId: 'id ü' }

function header(random: SeededRandom, flagBits: number): RecordHeader {
  const [pending, outlier, lacksPoints, hasFeedback, hasClientId] = flags.map(
    (_, i) => (flagBits & (1 << i)) !== 0,
  ) as [boolean, boolean, boolean, boolean, boolean]
  return {
    pending,
    outlier,
    lacksPoints,
    hasFeedback,
    hasClientId,
    label: random.below(4) - 1,
    source: random.pick<DecisionSource>(['none', 'model', 'knowledge_base']),
    confidence: random.pick([0, 1, 5_999, 6_000, 10_000]),
    modelVersion: random.pick([0, 1, 65_536, 2 ** 32 - 1]),
    outlierScore: Math.fround(random.nextFloat() * 10),
    bucketId: random.below(2) === 0 ? null : Buffer.from(random.bytes(16)).fill(1, 0, 1),
    enrichments: 'none',
    autonomy: random.pick(['none', 'settled', 'review', 'audit'] as const),
    basis: random.pick([
      noBasis,
      {
        threshold: Math.fround(random.nextFloat()),
        ageing: false,
        doubt: 0,
        base: 0,
        ruleOff: random.below(2) === 1,
        votesState: random.below(2),
      },
      { threshold: 0, ageing: false, doubt: 0, base: 0, ruleOff: false, votesState: 2 ** 32 - 1 },
    ]),
  }
}

/** Of an ageing model. */
const doubted = { threshold: Math.fround(3.9), ageing: true, doubt: 0.1234, base: 0.9876, ruleOff: true, votesState: 7 }

describe('event record', () => {
  it('every combination of its header comes back', () => {
    const random = new SeededRandom(1)
    for (let round = 0; round < 20; round++) {
      for (let bits = 0; bits < 2 ** flags.length; bits++) {
        const given = header(random, bits)
        const record = encodeRecord(given, content)
        assert.deepEqual(decodeHeader(record), given)
        assert.deepEqual(decodeContent(record), content)
      }
    }
  })

  it('a new header leaves the content and the old record as they were', () => {
    const random = new SeededRandom(2)
    for (let i = 0; i < 100; i++) {
      const [before, after] = [header(random, random.below(32)), header(random, random.below(32))]
      const record = encodeRecord(before, content)
      const changed = withHeader(record, after)
      assert.deepEqual(decodeHeader(changed), after)
      assert.deepEqual(decodeContent(changed), content)
      assert.deepEqual(decodeHeader(record), before)
    }
  })

  it('the same record is the same bytes, without anything left from another', () => {
    const given = header(new SeededRandom(3), 31)
    const first = Buffer.from(encodeRecord(given, content))
    encodeRecord(header(new SeededRandom(4), 0), { body: Buffer.alloc(10_000, 1), extras: null, clientId: null })
    assert.deepEqual(encodeRecord(given, content), first)
    assert.equal(first.readUInt16LE(6), Buffer.byteLength(content.clientId))
  })

  it('records that were made before one another do not share memory', () => {
    const random = new SeededRandom(5)
    const records = Array.from({ length: 200 }, (_, i) => ({ given: header(random, i % 32), i })).map(
      ({ given, i }) => ({
        given,
        i,
        record: encodeRecord(given, { body: Buffer.of(0, i), extras: null, clientId: `id ${i}` }),
      }),
    )
    for (const { given, i, record } of records) {
      assert.deepEqual(decodeHeader(record), given)
      assert.deepEqual(decodeContent(record), { body: Buffer.of(0, i), extras: null, clientId: `id ${i}` })
    }
  })

  it('a record of a later version is not read as one of today', () => {
    const record = encodeRecord(header(new SeededRandom(6), 0), content)
    record[0] = 3
    assert.throws(() => decodeHeader(record), /version/)
  })
})

/** A record with a client's id and extras, of a bucket, decided by the knowledge base. */
const HEAD = '3a010280250500030000000000004001010101010101010101010101010101000000000000000000000000'
const REST = '696420c3bc0900000081a57469746c65a1540700010405'
const OWN = 1_769_767_200_123_456
const FIXTURE = `02${HEAD}00a9312560261943${REST}`
/** As it was stored before own times were. */
const FIRST_FIXTURE = `01${HEAD}${REST}`

describe('a record with a decision that stood before, or with notes', () => {
  const previous = { ...header(new SeededRandom(8), 2), reprocessedMicros: 1_700_000_000_000_123 }
  const { label, source, confidence, modelVersion, outlierScore, outlier, reprocessedMicros } = previous
  const wanted = { label, source, confidence, modelVersion, outlierScore, outlier, reprocessedMicros }

  it('has it beside the one of now, with every id, extra and body', () => {
    const random = new SeededRandom(9)
    for (let bits = 0; bits < 32; bits++) {
      for (const each of [content, { body: Buffer.of(1, 2), extras: null, clientId: null }]) {
        const [before, after] = [header(random, bits), header(random, random.below(32))]
        const record = encodeRecord(before, each)
        assert.equal(decodePrevious(record), null)
        const changed = withPrevious(record, after, previous)
        assert.deepEqual(
          [decodeHeader(changed), decodeContent(changed), decodePrevious(changed)],
          [after, each, wanted],
        )
        assert.deepEqual([bodyOf(changed), clientIdOf(changed)], [each.body, each.clientId])
        const again = withPrevious(changed, before, { ...previous, label: -1 })
        assert.equal(again.length, changed.length)
        assert.deepEqual(
          [decodeHeader(again), decodeContent(again), decodePrevious(again)],
          [before, each, { ...wanted, label: -1 }],
        )
      }
    }
  })

  it('keeps both through every other change', () => {
    const random = new SeededRandom(10)
    const both = withNotes(withPrevious(encodeRecord(header(random, 7), content), header(random, 9), previous))
    const changed = withHeader(both, header(random, 20))
    assert.ok(hasNotes(changed))
    assert.deepEqual([decodePrevious(changed), decodeContent(changed)], [wanted, content])
    assert.ok(hasNotes(withPrevious(withNotes(encodeRecord(header(random, 0), content)), header(random, 1), previous)))
    assert.ok(!hasNotes(withPrevious(encodeRecord(header(random, 0), content), header(random, 1), previous)))
  })

  it('is another one than a plain record, whose bytes are these', () => {
    const record = Buffer.from(FIXTURE, 'hex')
    const read = decodeHeader(record)
    assert.deepEqual(
      [
        read.label,
        read.source,
        read.confidence,
        read.modelVersion,
        read.outlierScore,
        read.outlier,
        read.hasFeedback,
        read.hasClientId,
      ],
      [1, 'knowledge_base', 9_600, 3, 2, true, true, true],
    )
    assert.deepEqual([decodePrevious(record), hasNotes(record), decodeContent(record)], [null, false, content])
    assert.deepEqual([encodeRecord(read, content, OWN), ownMicrosOf(record)], [record, OWN])
  })

  it('is read and changed as well where it was stored before own times were', () => {
    const [first, record] = [Buffer.from(FIRST_FIXTURE, 'hex'), Buffer.from(FIXTURE, 'hex')]
    const given = header(new SeededRandom(11), 21)
    const changes: readonly ((record: Buffer) => Buffer)[] = [
      (bytes) => bytes,
      (bytes) => withHeader(bytes, given),
      (bytes) => withNotes(withPrevious(bytes, given, previous)),
      (bytes) => withBody(withPrevious(withPrevious(bytes, given, previous), given, previous), Buffer.of(9)),
    ]
    for (const change of changes) {
      const [before, now] = [change(first), change(record)]
      const parts = (bytes: Buffer): unknown[] => [
        decodeHeader(bytes),
        decodeContent(bytes),
        decodePrevious(bytes),
        clientIdOf(bytes),
        hasNotes(bytes),
      ]
      assert.deepEqual(parts(before), parts(now))
      assert.deepEqual([ownMicrosOf(before), ownMicrosOf(now)], [null, OWN])
      assert.equal(before.length, now.length - 8)
    }
  })

  it('has look-ups too, whatever else it has, and says so through every other change', () => {
    const random = new SeededRandom(13)
    for (const enrichments of ['awaited', 'stored', 'passed_over'] as const) {
      const given: RecordHeader = { ...header(random, 31), enrichments, source: 'ageing_model', basis: doubted }
      const plain = encodeRecord(given, content)
      assert.deepEqual(decodeHeader(plain), given)
      const noted = withNotes(plain)
      assert.deepEqual([hasNotes(noted), decodeHeader(noted)], [true, given])
      const changed = withPrevious(noted, given, previous)
      assert.deepEqual([decodeHeader(changed), decodePrevious(changed)], [given, wanted])
      const other = withBody(changed, Buffer.of(9, 9, 9))
      assert.deepEqual(
        [decodeHeader(other), decodePrevious(other), decodeContent(other)],
        [given, wanted, { ...content, body: Buffer.of(9, 9, 9) }],
      )
      assert.equal(decodeHeader(withHeader(changed, { ...given, enrichments: 'none' })).enrichments, 'none')
    }
  })
})
