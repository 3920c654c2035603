/**
 * The rows of buckets, ballots, stats and models, as values and as bytes.
 *
 * Owns: their layout. Leaves out: keys (tables.ts), events (event-record.ts), other rows (*-row.ts).
 *
 * Every row starts with the version of its layout (D11).
 */
import { assert } from '../assert.js'
import { freshTrust, type ModelTrust } from '../domain/decide/model-trust.js'
import type { PointValue } from '../domain/event/point-value.js'
import type { ModelSummary } from '../domain/learn/classifier.js'
import type { ModelOrigin } from '../domain/learn/model-origin.js'
import type { PointCounts } from '../domain/metrics/point-tally.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'
import type { AnalystWeights, DoubtedVote, DrawnFigures } from './model-votes.js'
import { pack, unpack } from './pack.js'

const VERSION = 1

/** A bucket: events with the same values at the decision points. These fields do not change with every event. */
export interface BucketRow {
  /** Counts up in the job; the key of the bucket's counts. */
  readonly number: number
  /** Ingest time of its first event, microseconds. */
  readonly firstMicros: number
  /** There are votes, so there is a ballot. */
  readonly hasBallot: boolean
  /** Of the list of decision points (event/decision-points.ts). */
  readonly fingerprint: number
  readonly values: readonly PointValue[]
}

const BUCKET_HEADER_BYTES = 24

/**
 * | 0 version | 1 has ballot | 2 0 | 4 number u32 | 8 first f64 | 16 fingerprint u32 | 20 0 | 24 values, MessagePack |
 */
export function encodeBucket(row: Omit<BucketRow, 'values'>, values: BucketRow['values']): Buffer {
  const bytes = pack(values, BUCKET_HEADER_BYTES)
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
  return { ...decodeBucketHead(value), values: unpack(bytes.subarray(BUCKET_HEADER_BYTES)) as PointValue[] }
}

/** All but the values. */
export function decodeBucketHead(value: Uint8Array): Omit<BucketRow, 'values'> {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  assert(bytes[0] === VERSION, 'the bucket row has a version that this code knows')
  return {
    number: bytes.readUInt32LE(4),
    hasBallot: bytes[1] === 1,
    firstMicros: bytes.readDoubleLE(8),
    fingerprint: bytes.readUInt32LE(16),
  }
}

/** The number alone. */
export function decodeBucketNumber(value: Uint8Array): number {
  assert(value[0] === VERSION, 'the bucket row has a version that this code knows')
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).readUInt32LE(4)
}

/**
 * The counts of a bucket, which change with every event. Their rows lie side by side in the order of bucket numbers. A
 * turn touches hundreds of buckets: if each lay on its own page, a flush would write megabytes.
 */
export interface CountRow {
  /** Events in the bucket now. */
  readonly events: number
  /** Ingest time of the latest event, microseconds. */
  readonly lastMicros: number
  /** By label: how many of these events have it as their decision. */
  readonly decided: readonly number[]
}

const COUNT_BYTES = 16

export function countBytes({ decided }: CountRow): number {
  return COUNT_BYTES + 4 * decided.length
}

/** | 0 version | 1 0 | 4 events u32 | 8 last f64 | 16 decided, u32 each | in `bytes` at `at`, or in new bytes. */
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
  assert(bytes[0] === VERSION, 'the count row has a version that this code knows')
  const labels = (bytes.length - COUNT_BYTES) / 4
  return {
    events: bytes.readUInt32LE(4),
    lastMicros: bytes.readDoubleLE(8),
    decided: Array.from({ length: labels }, (_, label) => bytes.readUInt32LE(COUNT_BYTES + 4 * label)),
  }
}

/** What is counted from the installation of the active model on, mostly for the blockers of auto_retrain. */
export interface SinceTraining {
  readonly outliersSinceTraining: number
  readonly consensusChangesSinceTraining: number
  /** Changes of a consensus back to a label that it had left. */
  readonly consensusFlipsSinceTraining: number
  readonly lowConfidenceSinceTraining: number
  readonly decidedSinceTraining: number
  /** The watch over the active model; changed in place (decide/model-trust.ts). */
  readonly watch: ModelTrust
}

/** The counters of a job, and the state of its learning. */
export interface StatsRow extends SinceTraining {
  /** Events stored now. */
  readonly events: number
  readonly buckets: number
  /** Buckets ever made, and so the number of the next one. */
  readonly bucketsMade: number
  /** Events that were voted on themselves, not only through their bucket. */
  readonly feedbackEvents: number
  /** Events that wait for the job to start. */
  readonly pending: number
  readonly lastEventMicros: number | null
  readonly lastFeedbackMicros: number | null
  /** The number of the latest state of any ballot. */
  readonly ballotStates: number
  /** Rises by one with every change of a consensus. */
  readonly feedbackSeq: number
  /** The feedbackSeq that the active model has seen; 0 before the first model. */
  readonly trainedThroughSeq: number
  /** Active model, 0 for none. */
  readonly modelVersion: number
  /** Every version ever installed, oldest first. `registry` has them all, `models` those whose bytes are kept. */
  readonly modelVersions: readonly number[]
  /** The least trainedThroughSeq of a model that may become active: ballots keep their changes from there on. */
  readonly keepFromSeq: number
  /** The latest erasure of events; absent where there was none. */
  readonly erasedMicros?: number
  /** By label: ballots with this consensus. */
  readonly consensusCounts: readonly number[]
  readonly undecidedBallots: number
  /** Ballots whose consensus has a small majority. */
  readonly lowScoreBallots: number
  /** Buckets whose voted events have more than one label. */
  readonly mixedBallots: number
  /** The values at the decision points; absent before the first event. */
  readonly points?: PointCounts
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
    ballotStates: 0,
    feedbackSeq: 0,
    trainedThroughSeq: 0,
    modelVersion: 0,
    modelVersions: [],
    keepFromSeq: 0,
    consensusCounts: new Array<number>(labelCount).fill(0),
    undecidedBallots: 0,
    lowScoreBallots: 0,
    mixedBallots: 0,
    ...nothingSinceTraining(),
  }
}

/** The fields about the time since the active model was installed, at that moment. */
export function nothingSinceTraining(): SinceTraining {
  return {
    outliersSinceTraining: 0,
    consensusChangesSinceTraining: 0,
    consensusFlipsSinceTraining: 0,
    lowConfidenceSinceTraining: 0,
    decidedSinceTraining: 0,
    watch: freshTrust(),
  }
}

/** A stored model's description. The model's bytes follow it. */
export interface ModelRow {
  readonly version: number
  readonly throughSeq: number
  readonly trainedMicros: number
  /** Of the list of decision points that it was trained on. */
  readonly fingerprint: number
  readonly summary: ModelSummary
  /** Ingest times of the events that it remembers (Model.references), microseconds; 0: not known. */
  readonly referenceMicros?: readonly number[]
  readonly origin?: ModelOrigin
  /** The votes that it contradicts most, asked without them, by doubt. */
  readonly doubted?: readonly DoubtedVote[]
  /** Of held-out votes on events that were drawn, not chosen: how many, and the share that it answers rightly. */
  readonly drawn?: DrawnFigures | undefined
  /** How much votes count from now on, where the consensus is weighted; absent where too little is known. */
  readonly analystWeights?: AnalystWeights | undefined
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
  assert(bytes[0] === VERSION, 'the model row has a version that this code knows')
  const jsonEnd = 8 + bytes.readUInt32LE(4)
  return { row: JSON.parse(bytes.toString('utf8', 8, jsonEnd)) as ModelRow, model: bytes.subarray(jsonEnd) }
}

export function encodeStats(row: StatsRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeStats(value: Uint8Array): StatsRow {
  return decodeJsonRow(value) as StatsRow
}
