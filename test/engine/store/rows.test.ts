import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SeededRandom } from '../../../engine/rng.js'
import {
  decodeBallot,
  decodeVotes,
  encodeBallot,
  encodeVotes,
  type BallotRow,
  type StoredVote,
} from '../../../engine/store/ballot-row.js'
import {
  countsInBucket,
  decodeBucket,
  decodeBucketHead,
  decodeCount,
  encodeBucket,
  encodeCount,
  type BucketRow,
} from '../../../engine/store/bucket-row.js'
import { encodeTail, visitTail } from '../../../engine/store/bucket-table.js'
import {
  decodeModel,
  decodeStats,
  emptyStats,
  encodeModel,
  encodeStats,
  type ModelRow,
} from '../../../engine/store/rows.js'

const votes: StoredVote[] = [
  {
    analyst: 'änn',
    label: 2,
    atMicros: 1_700_000_000_000_001,
    eventMicros: 5,
    closingNotes: 'x',
    indicators: [{ a: null }],
  },
]

const ballot: BallotRow = {
  state: 3,
  votes: [0, 0, 1],
  counts: [0, 0, 1],
  ties: 2,
  votedMicros: 1_700_000_000_000_001,
  firstVersion: 0,
  firstMicros: 1_700_000_000_000_000,
  override: null,
  consensus: -2,
  changes: [
    { seq: 1, consensus: 0 },
    { seq: 4, consensus: -2 },
  ],
}

const model: ModelRow = {
  version: 3,
  throughSeq: 17,
  trainedMicros: 9,
  fingerprint: 2 ** 32 - 1,
  summary: {
    kind: 'k/1',
    examples: 5,
    features: 6,
    logLoss: null,
    accuracy: 0.5,
    evidenceWeight: 2,
    scored: null,
    outlierThreshold: 0.25,
  },
}

/** The bytes in the middle of a larger memory, as a store gives them. */
function within(bytes: Uint8Array): Uint8Array {
  const larger = new Uint8Array(bytes.length + 20).fill(0xee)
  larger.set(bytes, 10)
  return larger.subarray(10, 10 + bytes.length)
}

describe('rows', () => {
  it('a bucket comes back', () => {
    const random = new SeededRandom(1)
    for (let i = 0; i < 200; i++) {
      const row: BucketRow = {
        id: Buffer.from(random.bytes(16)),
        number: random.pick([0, 1, 2 ** 32 - 1]),
        firstMicros: Math.floor(random.nextFloat() * 2 ** 53),
        hasBallot: random.below(2) === 0,
        fingerprint: random.nextUint32(),
        values: [null, 'x', 'ü\u{1f600}', 1.5, -1, true, ['a', 1, false], 2 ** 40].slice(random.below(8)),
      }
      const counts = { events: random.below(9), lastMicros: 7, decided: [1, 2, 3].slice(random.below(4)) }
      const bytes = within(encodeBucket({ ...row, ...counts }, row.values))
      const { values, ...head } = row
      assert.deepEqual([decodeBucket(bytes), decodeBucketHead(bytes)], [{ ...head, values }, head])
      assert.deepEqual(countsInBucket(bytes), counts)
    }
  })

  it('the counts of a bucket come back, and can be written over', () => {
    const row = { events: 2 ** 32 - 1, lastMicros: Number.MAX_SAFE_INTEGER, decided: [1, 2 ** 32 - 1, 0] }
    const bytes = encodeCount({ events: 1, lastMicros: 2, decided: [0, 1, 0] })
    assert.equal(encodeCount(row, bytes), bytes)
    assert.deepEqual(decodeCount(within(bytes)), row)
  })

  it('the ids of new buckets come back with their numbers', () => {
    const random = new SeededRandom(2)
    const entries = [0, 7, 2 ** 32 - 1].map((number) => ({ id: Buffer.from(random.bytes(16)), number }))
    const seen: [string, number][] = []
    visitTail(within(encodeTail(entries)), (id, number) => seen.push([id, number]))
    assert.deepEqual(
      seen,
      entries.map(({ id, number }) => [id.toString('latin1'), number]),
    )
  })

  it('ballots and counters come back', () => {
    assert.deepEqual(decodeBallot(within(encodeBallot(ballot))), ballot)
    assert.deepEqual(decodeVotes(within(encodeVotes(votes))), votes)
    assert.deepEqual(decodeStats(within(encodeStats(emptyStats(3)))), emptyStats(3))
  })

  it('an override comes back with who set it and when', () => {
    const overridden: BallotRow = {
      ...ballot,
      override: { label: 1, by: 'änn', atMicros: 1_700_000_000_000_001 },
      consensus: 1,
    }
    assert.deepEqual(decodeBallot(within(encodeBallot(overridden))), overridden)
  })

  it('a model comes back with its bytes', () => {
    const bytes = Buffer.from(new SeededRandom(2).bytes(5_000))
    const decoded = decodeModel(within(encodeModel(model, bytes)))
    assert.deepEqual(decoded.row, model)
    assert.deepEqual(Buffer.from(decoded.model), bytes)
    assert.equal(decodeModel(encodeModel(model, new Uint8Array(0))).model.length, 0)
  })

  it('rows of a later version are not read as those of today', () => {
    const bucket = { id: Buffer.alloc(16), number: 0, firstMicros: 0, hasBallot: false, fingerprint: 0 }
    const later = (bytes: Buffer): Buffer => {
      const copy = Buffer.from(bytes)
      copy[0] = 3
      return copy
    }
    assert.throws(
      () => decodeBucket(later(encodeBucket({ ...bucket, events: 0, lastMicros: 0, decided: [] }, []))),
      /version/,
    )
    const counts = encodeCount({ events: 0, lastMicros: 0, decided: [0, 0, 0] })
    counts[0] = 2
    assert.throws(() => decodeCount(counts), /version/)
    assert.throws(() => decodeBallot(later(encodeBallot(ballot))), /version/)
    assert.throws(() => decodeStats(later(encodeStats(emptyStats(3)))), /version/)
    assert.throws(() => decodeModel(later(encodeModel(model, Buffer.of(1)))), /version/)
  })
})
