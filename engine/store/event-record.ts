/**
 * The record of an event: a fixed header that lists and counts read without unpacking, then the rest.
 *
 * | at | bytes | what                                                                   |
 * |----|-------|------------------------------------------------------------------------|
 * | 0  | 1     | version of this layout: 2 with a previous decision or notes, else 1    |
 * | 1  | 1     | flags, below                                                           |
 * | 2  | 1     | label index, 255 without a decision                                    |
 * | 3  | 1     | source of the decision: 0 none, 1 model, 2 knowledge base, 3 ageing model |
 * | 4  | 2     | confidence in hundredths of a percent, little-endian like all the rest |
 * | 6  | 2     | bytes of the client's id, 0 for none                                   |
 * | 8  | 4     | model version, 0 for none                                              |
 * | 12 | 4     | outlier score, 32-bit float                                            |
 * | 16 | 16    | bucket id, zeros where the job has no buckets                          |
 * | 32 | 24    | where the flag says so: the previous decision, below                   |
 * |    |       | the client's id, UTF-8                                                 |
 * |    |       | where the flag says so: length u32 and MessagePack of the extras       |
 * |    |       | the body (event/body-format.ts), to the end                            |
 *
 * The previous decision, the one before the event was last reprocessed:
 *
 * | 0 label u8 | 1 source u8 | 2 confidence u16 | 4 model version u32 | 8 outlier score f32 | 12 outlier u8 | 13 0 | 16 reprocessed at f64 |
 *
 * The ingest time is the key. Code reads every version up to its own (D11); a record that needs nothing of version 2 is
 * still written as version 1, so events that are never reprocessed and have no notes are the bytes they always were.
 */
import type { Decision, DecisionSource } from '../decide/decision.js'
import type { EventExtras } from '../event/envelope.js'
import { BUCKET_ID_BYTES } from '../event/bucket-key.js'
import { assert } from '../assert.js'
import { pack, unpack } from './pack.js'

const VERSION = 1
const VERSION_MAX = 2
const HEADER_BYTES = 32
const PREVIOUS_BYTES = 24
const NO_LABEL = 255

const PENDING = 1
const OUTLIER = 2
const LACKS_POINTS = 4
const HAS_FEEDBACK = 8
const HAS_CLIENT_ID = 16
const HAS_EXTRAS = 32
const HAS_PREVIOUS = 64
const HAS_NOTES = 128
/** What changes of the header leave as it is. */
const KEPT_FLAGS = HAS_EXTRAS | HAS_PREVIOUS | HAS_NOTES

/** By their number on disk. */
export const decisionSources: readonly DecisionSource[] = ['none', 'model', 'knowledge_base', 'ageing_model', 'untrained']

/** What the header says. */
export interface RecordHeader extends Decision {
  /** Stored, not decided yet. */
  readonly pending: boolean
  /** Not one decision point had a value. */
  readonly lacksPoints: boolean
  /** Someone voted on this very event. */
  readonly hasFeedback: boolean
  /** The id is the client's; otherwise it is the ingest time in another spelling (event/event-id.ts). */
  readonly hasClientId: boolean
  /** 16 bytes; null where the job has no buckets. */
  readonly bucketId: Uint8Array | null
}

/** The header of an event that comes in. */
export function newHeader(
  decision: Decision,
  pending: boolean,
  lacksPoints: boolean,
  hasClientId: boolean,
  bucketId: Uint8Array | null,
): RecordHeader {
  // Field by field: an object spread costs several microseconds here.
  const { label, confidence, outlier, outlierScore, source, modelVersion } = decision
  return {
    label, confidence, outlier, outlierScore, source, modelVersion, pending, lacksPoints, hasFeedback: false, hasClientId, bucketId,
  }
}

/** The header of an event that was decided before, with another decision. */
export function decidedAgain({ pending, lacksPoints, hasFeedback, hasClientId, bucketId }: RecordHeader, decision: Decision): RecordHeader {
  const { label, confidence, outlier, outlierScore, source, modelVersion } = decision
  return { label, confidence, outlier, outlierScore, source, modelVersion, pending, lacksPoints, hasFeedback, hasClientId, bucketId }
}

/** What stands behind the header. */
export interface RecordContent {
  /** The bytes of the body. */
  readonly body: Uint8Array
  readonly extras: EventExtras | null
  readonly clientId: string | null
}

/** A decision that a later one took the place of. */
export interface PreviousDecision extends Decision {
  /** When the event was decided again, microseconds. */
  readonly reprocessedMicros: number
}

/** The bytes of a new record. */
export function encodeRecord(header: RecordHeader, content: RecordContent): Buffer {
  const { body, clientId } = content
  const extras = content.extras === null ? null : pack(content.extras)
  const idBytes = clientId === null ? 0 : Buffer.byteLength(clientId)
  const extrasBytes = extras === null ? 0 : 4 + extras.length
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + idBytes + extrasBytes + body.length)
  bytes[1] = extras === null ? 0 : HAS_EXTRAS
  bytes.writeUInt16LE(idBytes, 6)
  writeHeader(bytes, header)
  if (clientId !== null) bytes.write(clientId, HEADER_BYTES, 'utf8')
  if (extras !== null) {
    bytes.writeUInt32LE(extras.length, HEADER_BYTES + idBytes)
    bytes.set(extras, HEADER_BYTES + idBytes + 4)
  }
  bytes.set(body, HEADER_BYTES + idBytes + extrasBytes)
  return bytes
}

/** The same record with another header. */
export function withHeader(record: Uint8Array, header: RecordHeader): Buffer {
  const bytes = Buffer.from(record)
  writeHeader(bytes, header)
  return bytes
}

export function decodeHeader(record: Uint8Array): RecordHeader {
  const bytes = Buffer.isBuffer(record) ? record : Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  assert(bytes[0] === VERSION || bytes[0] === VERSION_MAX, 'a record of a version that this code knows')
  const flags = bytes[1] as number
  const label = bytes[2] as number
  const bucketId = bytes.subarray(16, 16 + BUCKET_ID_BYTES)
  return {
    pending: (flags & PENDING) !== 0,
    outlier: (flags & OUTLIER) !== 0,
    lacksPoints: (flags & LACKS_POINTS) !== 0,
    hasFeedback: (flags & HAS_FEEDBACK) !== 0,
    hasClientId: (flags & HAS_CLIENT_ID) !== 0,
    label: label === NO_LABEL ? -1 : label,
    source: decisionSources[bytes[3] as number] ?? 'none',
    confidence: bytes.readUInt16LE(4),
    modelVersion: bytes.readUInt32LE(8),
    outlierScore: bytes.readFloatLE(12),
    bucketId: isZero(bucketId) ? null : bucketId,
  }
}

/** The bytes of the body alone; a view. */
export function bodyOf(record: Buffer): Buffer {
  const idEnd = HEADER_BYTES + previousBytes(record) + record.readUInt16LE(6)
  return record.subarray(((record[1] as number) & HAS_EXTRAS) === 0 ? idEnd : idEnd + 4 + record.readUInt32LE(idEnd))
}

/** The client's id, or null. */
export function clientIdOf(record: Buffer): string | null {
  const idBytes = record.readUInt16LE(6)
  const idStart = HEADER_BYTES + previousBytes(record)
  return idBytes === 0 ? null : record.toString('utf8', idStart, idStart + idBytes)
}

export function decodeContent(record: Uint8Array): RecordContent {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  const idStart = HEADER_BYTES + previousBytes(bytes)
  const idEnd = idStart + bytes.readUInt16LE(6)
  const clientId = idEnd === idStart ? null : bytes.toString('utf8', idStart, idEnd)
  if (((bytes[1] as number) & HAS_EXTRAS) === 0) return { body: bytes.subarray(idEnd), extras: null, clientId }
  const extrasEnd = idEnd + 4 + bytes.readUInt32LE(idEnd)
  const extras = unpack(bytes.subarray(idEnd + 4, extrasEnd)) as EventExtras
  return { body: bytes.subarray(extrasEnd), extras, clientId }
}

/** The decision before the event was last reprocessed, or null where it never was. Needs the whole record. */
export function decodePrevious(record: Uint8Array): PreviousDecision | null {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  if (previousBytes(bytes) === 0) return null
  const previous = bytes.subarray(HEADER_BYTES, HEADER_BYTES + PREVIOUS_BYTES)
  const label = previous[0] as number
  return {
    label: label === NO_LABEL ? -1 : label,
    source: decisionSources[previous[1] as number] ?? 'none',
    confidence: previous.readUInt16LE(2),
    modelVersion: previous.readUInt32LE(4),
    outlierScore: previous.readFloatLE(8),
    outlier: previous[12] === 1,
    reprocessedMicros: previous.readDoubleLE(16),
  }
}

/** The same record with another header, and `previous` in the place of an earlier previous decision. */
export function withPrevious(record: Uint8Array, header: RecordHeader, previous: PreviousDecision): Buffer {
  const old = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  const bytes = Buffer.alloc(record.length + PREVIOUS_BYTES - previousBytes(old))
  old.copy(bytes, 0, 0, HEADER_BYTES)
  old.copy(bytes, HEADER_BYTES + PREVIOUS_BYTES, HEADER_BYTES + previousBytes(old))
  bytes[1] = (bytes[1] as number) | HAS_PREVIOUS
  writeHeader(bytes, header)
  const block = bytes.subarray(HEADER_BYTES, HEADER_BYTES + PREVIOUS_BYTES)
  block[0] = previous.label < 0 ? NO_LABEL : previous.label
  block[1] = decisionSources.indexOf(previous.source)
  block.writeUInt16LE(previous.confidence, 2)
  block.writeUInt32LE(previous.modelVersion, 4)
  block.writeFloatLE(previous.outlierScore, 8)
  block[12] = previous.outlier ? 1 : 0
  block.writeDoubleLE(previous.reprocessedMicros, 16)
  return bytes
}

/** True where the event has a row in `notes`. */
export function hasNotes(record: Uint8Array): boolean {
  return ((record[1] as number) & HAS_NOTES) !== 0
}

/** The same record, with the mark that there is a row in `notes`. */
export function withNotes(record: Uint8Array): Buffer {
  const bytes = Buffer.from(record)
  bytes[0] = VERSION_MAX
  bytes[1] = (bytes[1] as number) | HAS_NOTES
  return bytes
}

/** Bytes between the header and the client's id. */
function previousBytes(record: Uint8Array): number {
  return ((record[1] as number) & HAS_PREVIOUS) === 0 ? 0 : PREVIOUS_BYTES
}

/** Everything in the header but what the rest is found by: the length of the id, and the flags of what else is there. */
function writeHeader(bytes: Buffer, header: RecordHeader): void {
  const kept = (bytes[1] as number) & KEPT_FLAGS
  bytes[0] = (kept & (HAS_PREVIOUS | HAS_NOTES)) === 0 ? VERSION : VERSION_MAX
  bytes[1] =
    kept |
    (header.pending ? PENDING : 0) |
    (header.outlier ? OUTLIER : 0) |
    (header.lacksPoints ? LACKS_POINTS : 0) |
    (header.hasFeedback ? HAS_FEEDBACK : 0) |
    (header.hasClientId ? HAS_CLIENT_ID : 0)
  bytes[2] = header.label < 0 ? NO_LABEL : header.label
  bytes[3] = decisionSources.indexOf(header.source)
  bytes.writeUInt16LE(header.confidence, 4)
  bytes.writeUInt32LE(header.modelVersion, 8)
  bytes.writeFloatLE(header.outlierScore, 12)
  if (header.bucketId === null) bytes.fill(0, 16, HEADER_BYTES)
  else bytes.set(header.bucketId, 16)
}

function isZero(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) return false
  return true
}
