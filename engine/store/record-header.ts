/**
 * Reads and writes the header of an event's record (layout: event-record.ts).
 *
 * Owns: the version, the flags, the fields of fixed size. Leaves out: what follows the header (event-record.ts).
 */
import { assert } from '../assert.js'
import { BUCKET_ID_BYTES } from '../domain/event/bucket-key.js'
import { autonomies, type Autonomy } from '../domain/autonomy/passage.js'
import { noBasis, type DecisionBasis } from '../domain/decide/decision-basis.js'
import type { Decision, DecisionSource } from '../domain/decide/decision.js'
import { doubleAt, putFloat, putFourBytes, putTwoBytes } from './number-bytes.js'

/** A record without the event's own time, as they were before it was stored. */
const FIRST_VERSION = 1
export const VERSION = 2
/** The part of fixed meaning in records of both versions. */
export const HEADER_BYTES = 44
export const OWN_TIME_BYTES = 8
/** Stands for the own time of an event that has none: its time is that of its arrival. */
export const NO_OWN_TIME = Number.NEGATIVE_INFINITY
export const NO_LABEL = 255
export const BUCKET_ID_AT = 16
const BASIS_AT = 32
/** Shares are stored in ten thousandths. */
const SHARES = 10_000
/** Beside the base rate, which needs fewer bits. */
const RULE_OFF = 0x8000

const PENDING = 1
const OUTLIER = 2
const LACKS_POINTS = 4
const HAS_FEEDBACK = 8
const HAS_CLIENT_ID = 16
export const HAS_EXTRAS = 32
export const HAS_PREVIOUS = 64
export const HAS_NOTES = 128
/** Flags that `writeHeader` keeps. */
const KEPT_FLAGS = HAS_EXTRAS | HAS_PREVIOUS | HAS_NOTES

/** By their number on disk. */
export const decisionSources: readonly DecisionSource[] = [
  'none',
  'model',
  'knowledge_base',
  'ageing_model',
  'untrained',
]
const SOURCE_BITS = 0x0f
const AUTONOMY_SHIFT = 4
const AUTONOMY_BITS = 3
const ENRICHMENT_SHIFT = 6

/**
 * Whether the event has enrichment. An `awaited` one has an entry in the table `awaited`, a `stored` one a row in
 * `lookups`. `passed_over`: none was requested, because too many events were waiting.
 */
export type EnrichmentState = 'none' | 'awaited' | 'stored' | 'passed_over'

const enrichmentStates: readonly EnrichmentState[] = ['none', 'awaited', 'stored', 'passed_over']

/** The fields of the header. */
export interface RecordHeader extends Decision {
  /** Stored, not decided yet. */
  readonly pending: boolean
  /** No decision point had a value. */
  readonly lacksPoints: boolean
  /** There is a vote on this event itself, not only on its bucket. */
  readonly hasFeedback: boolean
  /** The id is the client's. Otherwise it is made from the ingest time (event/event-id.ts). */
  readonly hasClientId: boolean
  /** 16 bytes; null if the job has no buckets. */
  readonly bucketId: Uint8Array | null
  readonly enrichments: EnrichmentState
  /** What a safety contract made of it, when it was first decided. */
  readonly autonomy: Autonomy
  /** What the decision depended on beside the model and the event. */
  readonly basis: DecisionBasis
}

/** What a new event's header says besides its decision. */
export type NewEventFields = Omit<RecordHeader, keyof Decision | 'hasFeedback'>

/** The header of a new event. */
export function newHeader(
  decision: Decision,
  { pending, lacksPoints, hasClientId, bucketId, enrichments, autonomy, basis }: NewEventFields,
): RecordHeader {
  // Field by field: an object spread is slow.
  const { label, confidence, outlier, outlierScore, source, modelVersion } = decision
  return {
    label,
    confidence,
    outlier,
    outlierScore,
    source,
    modelVersion,
    pending,
    lacksPoints,
    hasFeedback: false,
    hasClientId,
    bucketId,
    enrichments,
    autonomy,
    basis,
  }
}

export function decodeHeader(record: Uint8Array): RecordHeader {
  const bytes = Buffer.isBuffer(record) ? record : Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  const flags = flagsOf(bytes)
  return {
    pending: (flags & PENDING) !== 0,
    outlier: (flags & OUTLIER) !== 0,
    lacksPoints: (flags & LACKS_POINTS) !== 0,
    hasFeedback: (flags & HAS_FEEDBACK) !== 0,
    hasClientId: (flags & HAS_CLIENT_ID) !== 0,
    label: labelOf(bytes),
    source: decisionSources[(bytes[3] as number) & SOURCE_BITS] ?? 'none',
    confidence: confidenceOf(bytes),
    modelVersion: bytes.readUInt32LE(8),
    outlierScore: bytes.readFloatLE(12),
    bucketId: isInBucket(bytes) ? bytes.subarray(BUCKET_ID_AT, BUCKET_ID_AT + BUCKET_ID_BYTES) : null,
    enrichments: enrichmentStates[(bytes[3] as number) >> ENRICHMENT_SHIFT] as EnrichmentState,
    autonomy: autonomyOf(bytes),
    basis: basisOf(bytes),
  }
}

function basisOf(bytes: Buffer): DecisionBasis {
  const threshold = bytes.readFloatLE(BASIS_AT)
  const votesState = bytes.readUInt32LE(BASIS_AT + 8)
  const base = bytes.readUInt16LE(BASIS_AT + 6)
  if (threshold === 0 && votesState === 0) return noBasis
  return {
    threshold,
    ageing: decisionSources[(bytes[3] as number) & SOURCE_BITS] === 'ageing_model',
    doubt: bytes.readUInt16LE(BASIS_AT + 4) / SHARES,
    base: (base & ~RULE_OFF) / SHARES,
    ruleOff: (base & RULE_OFF) !== 0,
    votesState,
  }
}

function flagsOf(record: Uint8Array): number {
  assert(record[0] === VERSION || record[0] === FIRST_VERSION, 'the record has a version that this code knows')
  return record[1] as number
}

/** Bytes before what may follow: the header, and the event's own time. */
export function fixedBytes(record: Uint8Array): number {
  return record[0] === FIRST_VERSION ? HEADER_BYTES : HEADER_BYTES + OWN_TIME_BYTES
}

/**
 * The event's own time, microseconds, or NO_OWN_TIME. Null: it was stored before own times were, and its body has to
 * be read.
 */
export function ownMicrosOf(record: Uint8Array): number | null {
  return record[0] === FIRST_VERSION ? null : doubleAt(record, HEADER_BYTES)
}

// Single fields of a header, for callers that need only a few of them.

export function isPending(record: Uint8Array): boolean {
  return (flagsOf(record) & PENDING) !== 0
}

export function isOutlier(record: Uint8Array): boolean {
  return (flagsOf(record) & OUTLIER) !== 0
}

export function hasClientId(record: Uint8Array): boolean {
  return (flagsOf(record) & HAS_CLIENT_ID) !== 0
}

export function labelOf(record: Uint8Array): number {
  return record[2] === NO_LABEL ? -1 : (record[2] as number)
}

export function hasFeedbackOf(record: Uint8Array): boolean {
  return (flagsOf(record) & HAS_FEEDBACK) !== 0
}

export function confidenceOf(record: Uint8Array): number {
  return (record[4] as number) | ((record[5] as number) << 8)
}

export function autonomyOf(record: Uint8Array): Autonomy {
  return autonomies[((record[3] as number) >> AUTONOMY_SHIFT) & AUTONOMY_BITS] as Autonomy
}

export function isInBucket(record: Uint8Array): boolean {
  for (let i = BUCKET_ID_AT; i < BUCKET_ID_AT + BUCKET_ID_BYTES; i++) if (record[i] !== 0) return true
  return false
}

export function isInThisBucket(record: Uint8Array, bucketId: Uint8Array): boolean {
  for (let i = 0; i < BUCKET_ID_BYTES; i++) if (record[BUCKET_ID_AT + i] !== bucketId[i]) return false
  return true
}

/** The bucket's id, one character for each byte. */
export function bucketIdTextOf(record: Uint8Array): string {
  return Buffer.from(record.buffer, record.byteOffset + BUCKET_ID_AT, BUCKET_ID_BYTES).toString('latin1')
}

/** Writes the header, but for the version, the length of the client's id and KEPT_FLAGS: they describe what follows. */
export function writeHeader(bytes: Buffer, header: RecordHeader, at = 0): void {
  const { bucketId, confidence } = header
  const kept = (bytes[at + 1] as number) & KEPT_FLAGS
  bytes[at + 1] =
    kept |
    (header.pending ? PENDING : 0) |
    (header.outlier ? OUTLIER : 0) |
    (header.lacksPoints ? LACKS_POINTS : 0) |
    (header.hasFeedback ? HAS_FEEDBACK : 0) |
    (header.hasClientId ? HAS_CLIENT_ID : 0)
  bytes[at + 2] = header.label < 0 ? NO_LABEL : header.label
  bytes[at + 3] =
    decisionSources.indexOf(header.source) |
    (autonomies.indexOf(header.autonomy) << AUTONOMY_SHIFT) |
    (enrichmentStates.indexOf(header.enrichments) << ENRICHMENT_SHIFT)
  bytes[at + 4] = confidence
  bytes[at + 5] = confidence >> 8
  putFourBytes(bytes, at + 8, header.modelVersion)
  putFloat(bytes, at + 12, header.outlierScore)
  // For so few bytes a loop is faster than a call.
  for (let i = 0; i < BUCKET_ID_BYTES; i++)
    bytes[at + BUCKET_ID_AT + i] = bucketId === null ? 0 : (bucketId[i] as number)
  const { threshold, doubt, base, ruleOff, votesState } = header.basis
  putFloat(bytes, at + BASIS_AT, threshold)
  putTwoBytes(bytes, at + BASIS_AT + 4, Math.round(doubt * SHARES))
  putTwoBytes(bytes, at + BASIS_AT + 6, Math.round(base * SHARES) | (ruleOff ? RULE_OFF : 0))
  putFourBytes(bytes, at + BASIS_AT + 8, votesState)
}
