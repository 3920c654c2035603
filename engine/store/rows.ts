/**
 * Rows: what the tables beside `events` hold, as values and as bytes.
 *
 * Owns: the layout of bucket, ballot, stats and model rows. Leaves out: keys (tables.ts), event records.
 *
 * Every row starts with the version of its layout (D11); code reads every version up to its own.
 */
import type { ConsensusChange } from '../learn/knowledge-base.js'
import type { Consensus, Vote } from '../learn/consensus.js'
import type { ModelSummary } from '../learn/classifier.js'
import type { PointValue } from '../event/point-value.js'
import { assert } from '../assert.js'
import { pack, unpack } from './body-codec.js'

const VERSION = 1

/** Events with the same values at the decision points. */
export interface BucketRow {
  /** Events in it now. */
  readonly events: number
  /** Ingest time of the first and of the latest, microseconds. */
  readonly firstMicros: number
  readonly lastMicros: number
  /** Someone has voted: there is a ballot. */
  readonly hasBallot: boolean
  /** Of the decision points that the values are from (event/decision-points.ts). */
  readonly fingerprint: number
  readonly values: readonly PointValue[]
}

const BUCKET_HEADER_BYTES = 32

/** | 0 version | 1 has ballot | 2 0 | 4 events u32 | 8 first f64 | 16 last f64 | 24 fingerprint u32 | 28 0 | 32 MessagePack of the values | */
export function encodeBucket(row: BucketRow): Buffer {
  const bytes = pack(row.values, BUCKET_HEADER_BYTES)
  writeBucketHeader(bytes, row)
  return bytes
}

/** Puts a row's counters into its bytes of before: the values of a bucket never change, so they are packed once. */
export function writeBucketHeader(bytes: Buffer, row: Omit<BucketRow, 'values'>): void {
  bytes[0] = VERSION
  bytes[1] = row.hasBallot ? 1 : 0
  bytes.writeUInt16LE(0, 2)
  bytes.writeUInt32LE(row.events, 4)
  bytes.writeDoubleLE(row.firstMicros, 8)
  bytes.writeDoubleLE(row.lastMicros, 16)
  bytes.writeUInt32LE(row.fingerprint, 24)
  bytes.writeUInt32LE(0, 28)
}

export function decodeBucket(value: Uint8Array): BucketRow {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  assert(bytes[0] === VERSION, 'a bucket row of a version that this code knows')
  return {
    hasBallot: bytes[1] === 1,
    events: bytes.readUInt32LE(4),
    firstMicros: bytes.readDoubleLE(8),
    lastMicros: bytes.readDoubleLE(16),
    fingerprint: bytes.readUInt32LE(24),
    values: unpack(bytes.subarray(BUCKET_HEADER_BYTES)) as PointValue[],
  }
}

/** A vote with what the analyst wrote beside it. */
export interface StoredVote extends Vote {
  /** Ingest time of the event that the vote was cast on. */
  readonly eventMicros: number
  readonly closingNotes?: string
  readonly indicators?: unknown
}

/** Votes on one subject: a bucket, or a single event where the job has no buckets. */
export interface BallotRow {
  readonly votes: readonly StoredVote[]
  readonly override: number | null
  /** The consensus after the last vote. */
  readonly consensus: Consensus
  readonly changes: readonly ConsensusChange[]
}

/** A job's counters and what it has learned from. */
export interface StatsRow {
  /** Events stored now. */
  readonly events: number
  readonly buckets: number
  /** Events with a vote of their own. */
  readonly feedbackEvents: number
  /** Events that wait for the job to start. */
  readonly pending: number
  readonly lastEventMicros: number | null
  readonly lastFeedbackMicros: number | null
  /** Goes up with every change of a consensus. */
  readonly feedbackSeq: number
  /** The feedbackSeq that the active model was trained up to; 0 before the first. */
  readonly trainedThroughSeq: number
  /** Active model, 0 for none. */
  readonly modelVersion: number
  /** Every version that was ever installed, oldest first; `models` holds them all. */
  readonly modelVersions: readonly number[]
  /** Ballots by their consensus: one count a label. */
  readonly consensusCounts: readonly number[]
  readonly undecidedBallots: number
  /** Facts about the time since the active model was installed, for the blockers of auto_retrain. */
  readonly outliersSinceTraining: number
  readonly consensusChangesSinceTraining: number
  readonly lowConfidenceSinceTraining: number
  readonly decidedSinceTraining: number
}

export function emptyStats(labelCount: number): StatsRow {
  return {
    events: 0,
    buckets: 0,
    feedbackEvents: 0,
    pending: 0,
    lastEventMicros: null,
    lastFeedbackMicros: null,
    feedbackSeq: 0,
    trainedThroughSeq: 0,
    modelVersion: 0,
    modelVersions: [],
    consensusCounts: new Array<number>(labelCount).fill(0),
    undecidedBallots: 0,
    outliersSinceTraining: 0,
    consensusChangesSinceTraining: 0,
    lowConfidenceSinceTraining: 0,
    decidedSinceTraining: 0,
  }
}

/** What is known of a stored model; its bytes follow. */
export interface ModelRow {
  readonly version: number
  readonly throughSeq: number
  readonly trainedMicros: number
  /** Of the decision points that it was trained on. */
  readonly fingerprint: number
  readonly summary: ModelSummary
}

/** | 0 version | 1 0 | 4 length of the JSON u32 | 8 JSON | model bytes | */
export function encodeModel(row: ModelRow, model: Uint8Array): Buffer {
  const json = Buffer.from(JSON.stringify(row), 'utf8')
  const header = Buffer.alloc(8)
  header[0] = VERSION
  header.writeUInt32LE(json.length, 4)
  return Buffer.concat([header, json, model])
}

export function decodeModel(value: Uint8Array): { row: ModelRow; model: Uint8Array } {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  assert(bytes[0] === VERSION, 'a model row of a version that this code knows')
  const jsonEnd = 8 + bytes.readUInt32LE(4)
  return { row: JSON.parse(bytes.toString('utf8', 8, jsonEnd)) as ModelRow, model: bytes.subarray(jsonEnd) }
}

/** A row that is JSON behind its version. */
export function encodeJsonRow(row: BallotRow | StatsRow): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(row), 'utf8')])
}

export function decodeBallot(value: Uint8Array): BallotRow {
  return decodeJsonRow(value) as BallotRow
}

export function decodeStats(value: Uint8Array): StatsRow {
  return decodeJsonRow(value) as StatsRow
}

function decodeJsonRow(value: Uint8Array): unknown {
  assert(value[0] === VERSION, 'a row of a version that this code knows')
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset + 1, value.byteLength - 1).toString('utf8'))
}
