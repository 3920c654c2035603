/**
 * Rows: what the tables beside `events` hold, as values and as bytes.
 *
 * Owns: the layout of bucket, ballot, stats and model rows. Leaves out: keys (tables.ts), event records.
 *
 * Every row starts with the version of its layout (D11).
 */
import type { ConsensusChange } from '../domain/learn/knowledge-base.js'
import type { Consensus, Vote } from '../domain/learn/consensus.js'
import type { ModelSummary } from '../domain/learn/classifier.js'
import type { PointValue } from '../domain/event/point-value.js'
import { freshTrust, type ModelTrust } from '../domain/decide/model-trust.js'
import { assert } from '../assert.js'
import { pack, unpack } from './pack.js'

const VERSION = 1

/** Events with the same values at the decision points: what does not change with every event. */
export interface BucketRow {
  /** Counts up in its job; the key of its counts. */
  readonly number: number
  /** Ingest time of the event that made it, microseconds. */
  readonly firstMicros: number
  /** Someone has voted: there is a ballot. */
  readonly hasBallot: boolean
  /** Of the decision points that the values are from (event/decision-points.ts). */
  readonly fingerprint: number
  readonly values: readonly PointValue[]
}

const BUCKET_HEADER_BYTES = 24

/** | 0 version | 1 has ballot | 2 0 | 4 number u32 | 8 first f64 | 16 fingerprint u32 | 20 0 | 24 MessagePack of the values | */
export function encodeBucket(row: BucketRow): Buffer {
  const bytes = pack(row.values, BUCKET_HEADER_BYTES)
  bytes.fill(0, 0, BUCKET_HEADER_BYTES)
  bytes[0] = VERSION
  bytes[1] = row.hasBallot ? 1 : 0
  bytes.writeUInt32LE(row.number, 4)
  bytes.writeDoubleLE(row.firstMicros, 8)
  bytes.writeUInt32LE(row.fingerprint, 16)
  return bytes
}

export function decodeBucket(value: Uint8Array): BucketRow {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  assert(bytes[0] === VERSION, 'a bucket row of a version that this code knows')
  return {
    number: bytes.readUInt32LE(4),
    hasBallot: bytes[1] === 1,
    firstMicros: bytes.readDoubleLE(8),
    fingerprint: bytes.readUInt32LE(16),
    values: unpack(bytes.subarray(BUCKET_HEADER_BYTES)) as PointValue[],
  }
}

/** The number alone. */
export function decodeBucketNumber(value: Uint8Array): number {
  assert(value[0] === VERSION, 'a bucket row of a version that this code knows')
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).readUInt32LE(4)
}

/**
 * What changes with every event of a bucket. In rows of their own, side by side in the order in which buckets were made:
 * a turn touches hundreds of buckets, and where each is on a page of its own a flush writes megabytes.
 */
export interface CountRow {
  /** Events in the bucket now. */
  readonly events: number
  /** Ingest time of the latest, microseconds. */
  readonly lastMicros: number
  /** Of these events, how many have each label as their decision. */
  readonly decided: readonly number[]
}

const COUNT_BYTES = 16

/** Bytes of such a row. */
export function countBytes({ decided }: CountRow): number {
  return COUNT_BYTES + 4 * decided.length
}

/** | 0 version | 1 0 | 4 events u32 | 8 last f64 | 16 decided, u32 a label | into `bytes` at `at`, or into new ones. */
export function encodeCount(row: CountRow, bytes: Buffer = Buffer.allocUnsafe(countBytes(row)), at = 0): Buffer {
  const { decided } = row
  bytes[at] = VERSION
  bytes[at + 1] = bytes[at + 2] = bytes[at + 3] = 0
  bytes.writeUInt32LE(row.events, at + 4)
  bytes.writeDoubleLE(row.lastMicros, at + 8)
  for (let i = 0; i < decided.length; i++) bytes.writeUInt32LE(decided[i] as number, at + COUNT_BYTES + 4 * i)
  return bytes
}

export function decodeCount(value: Uint8Array): CountRow {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  assert(bytes[0] === VERSION, 'a count row of a version that this code knows')
  const labels = (bytes.length - COUNT_BYTES) / 4
  return {
    events: bytes.readUInt32LE(4),
    lastMicros: bytes.readDoubleLE(8),
    decided: Array.from({ length: labels }, (_, label) => bytes.readUInt32LE(COUNT_BYTES + 4 * label)),
  }
}

/** A vote with what the analyst wrote beside it. */
export interface StoredVote extends Vote {
  /** Ingest time of the event that the vote was cast on. */
  readonly eventMicros: number
  readonly closingNotes?: string
  readonly indicators?: unknown
}

/** An administrator's word, which wins until it is withdrawn (S15). */
export interface StoredOverride {
  /** Index of the label. */
  readonly label: number
  /** Who set it. */
  readonly by: string
  readonly atMicros: number
}

/** Votes on one subject: a bucket, or a single event where the job has no buckets. */
export interface BallotRow {
  readonly votes: readonly StoredVote[]
  readonly override: StoredOverride | null
  /** The consensus after the last vote or override. */
  readonly consensus: Consensus
  readonly changes: readonly ConsensusChange[]
}

/** A job's counters and what it has learned from. */
export interface StatsRow {
  /** Events stored now. */
  readonly events: number
  readonly buckets: number
  /** Buckets ever made: the number of the next one. */
  readonly bucketsMade: number
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
  /** Ballots whose consensus has a small majority. */
  readonly lowScoreBallots: number
  /** Facts about the time since the active model was installed, for the blockers of auto_retrain. */
  readonly outliersSinceTraining: number
  readonly consensusChangesSinceTraining: number
  /** Those of them that took a consensus back to a label that it had left. */
  readonly consensusFlipsSinceTraining: number
  readonly lowConfidenceSinceTraining: number
  readonly decidedSinceTraining: number
  /** What the stream since then says of the model; changed in place (decide/model-trust.ts). */
  readonly watch: ModelTrust
}

export function emptyStats(labelCount: number): StatsRow {
  return {
    events: 0,
    buckets: 0,
    bucketsMade: 0,
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
    lowScoreBallots: 0,
    ...nothingSinceTraining(),
  }
}

type SinceTraining =
  | 'outliersSinceTraining'
  | 'consensusChangesSinceTraining'
  | 'consensusFlipsSinceTraining'
  | 'lowConfidenceSinceTraining'
  | 'decidedSinceTraining'
  | 'watch'

/** What a job knows of the time since its active model was installed, when that is now. */
export function nothingSinceTraining(): Pick<StatsRow, SinceTraining> {
  return {
    outliersSinceTraining: 0,
    consensusChangesSinceTraining: 0,
    consensusFlipsSinceTraining: 0,
    lowConfidenceSinceTraining: 0,
    decidedSinceTraining: 0,
    watch: freshTrust(),
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

/** | 0 version | 1 JSON | */
export function encodeBallot(row: BallotRow): Buffer {
  return encodeJsonRow(row)
}

/** A row that is JSON behind its version. */
export function encodeJsonRow(row: object): Buffer {
  return Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(row), 'utf8')])
}

export function decodeBallot(value: Uint8Array): BallotRow {
  return decodeJsonRow(value) as BallotRow
}

/** | 0 version | 1 JSON | */
export function encodeStats(row: StatsRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeStats(value: Uint8Array): StatsRow {
  return decodeJsonRow(value) as StatsRow
}

export function decodeJsonRow(value: Uint8Array): unknown {
  assert(value[0] === VERSION, 'a row of a version that this code knows')
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset + 1, value.byteLength - 1).toString('utf8'))
}
