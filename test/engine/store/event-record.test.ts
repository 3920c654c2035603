import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DecisionSource } from '../../../engine/decide/decision.js'
import { SeededRandom } from '../../../engine/random.js'
import { decodeContent, decodeHeader, encodeRecord, withHeader, type RecordHeader } from '../../../engine/store/event-record.js'

const flags = ['pending', 'outlier', 'lacksPoints', 'hasFeedback', 'hasClientId'] as const
const content = { body: Buffer.from([7, 0, 1, 4, 5]), extras: { title: 'T' }, clientId: 'id ü' }

function header(random: SeededRandom, flagBits: number): RecordHeader {
  const [pending, outlier, lacksPoints, hasFeedback, hasClientId] = flags.map((_, i) => (flagBits & (1 << i)) !== 0) as [
    boolean, boolean, boolean, boolean, boolean,
  ]
  return {
    pending, outlier, lacksPoints, hasFeedback, hasClientId,
    label: random.below(4) - 1,
    source: random.pick<DecisionSource>(['none', 'model', 'knowledge_base']),
    confidence: random.pick([0, 1, 5_999, 6_000, 10_000]),
    modelVersion: random.pick([0, 1, 65_536, 2 ** 32 - 1]),
    outlierScore: Math.fround(random.nextFloat() * 10),
    bucketId: random.below(2) === 0 ? null : Buffer.from(random.bytes(16)).fill(1, 0, 1),
  }
}

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
    const records = Array.from({ length: 200 }, (_, i) => ({ given: header(random, i % 32), i }))
      .map(({ given, i }) => ({ given, i, record: encodeRecord(given, { body: Buffer.of(0, i), extras: null, clientId: `id ${i}` }) }))
    for (const { given, i, record } of records) {
      assert.deepEqual(decodeHeader(record), given)
      assert.deepEqual(decodeContent(record), { body: Buffer.of(0, i), extras: null, clientId: `id ${i}` })
    }
  })

  it('a record of a later version is not read as one of today', () => {
    const record = encodeRecord(header(new SeededRandom(6), 0), content)
    record[0] = 2
    assert.throws(() => decodeHeader(record), /version/)
  })
})
