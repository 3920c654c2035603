/**
 * The record of an event: a header of fixed size, which lists and counts read without unpacking, and the rest.
 *
 * | at | bytes | what                                                                   |
 * |----|-------|------------------------------------------------------------------------|
 * | 0  | 1     | version of this layout: 2; 1 is without the event's own time           |
 * | 1  | 1     | flags, below                                                           |
 * | 2  | 1     | label index, 255 without a decision                                    |
 * | 3  | 1     | source of the decision: 0 none, 1 model, 2 knowledge base, 3 ageing model, 4 untrained; |
 * |    |       | in the two bits from 16 on autonomy: 0 none, 1 settled, 2 review, 3 audit; |
 * |    |       | in the two highest bits enrichment: 0 none, 1 awaited, 2 stored, 3 passed over |
 * | 4  | 2     | confidence in hundredths of a percent                                  |
 * | 6  | 2     | bytes of the client's id, 0 for none                                   |
 * | 8  | 4     | model version, 0 for none                                              |
 * | 12 | 4     | outlier score, 32-bit float                                            |
 * | 16 | 16    | bucket id, zeros where the job has no buckets                          |
 * | 32 | 4     | threshold of outliers when it was decided, 32-bit float; 0 for none    |
 * | 36 | 4     | share of the base rate, and that rate, in ten thousandths              |
 * | 40 | 4     | number of the state of its votes (table `states`), 0 for none          |
 * | 44 | 8     | the event's own time, microseconds, 64-bit float; -Infinity for none   |
 * | 52 | 24    | if flagged: the previous decision, below                               |
 * |    |       | the client's id, UTF-8                                                 |
 * |    |       | if flagged: length u32 and MessagePack of the extras                   |
 * |    |       | the body (event/body-format.ts), to the end                            |
 *
 * The previous decision is the one before the event was last reprocessed:
 *
 * | 0 label u8 | 1 source u8 | 2 confidence u16 | 4 model version u32 | 8 outlier score f32 |
 * | 12 outlier u8 | 13 0 | 16 reprocessed at f64 |
 *
 * Numbers are little-endian. The ingest time is the key.
 */
import { limits } from '../limits.js'
import { autonomyAgain } from '../domain/autonomy/passage.js'
import type { DecisionBasis } from '../domain/decide/decision-basis.js'
import type { Decision } from '../domain/decide/decision.js'
import type { EventExtras } from '../domain/event/envelope.js'
import { putDouble } from './number-bytes.js'
import { pack, unpack } from './pack.js'
import {
  HAS_EXTRAS,
  HAS_NOTES,
  HAS_PREVIOUS,
  HEADER_BYTES,
  NO_LABEL,
  NO_OWN_TIME,
  OWN_TIME_BYTES,
  VERSION,
  decisionSources,
  fixedBytes,
  writeHeader,
  type RecordHeader,
} from './record-header.js'

export {
  decisionSources,
  decodeHeader,
  newHeader,
  ownMicrosOf,
  type EnrichmentState,
  type RecordHeader,
} from './record-header.js'

const PREVIOUS_BYTES = 24
/** As fixedBytes, of a new record. */
const FIXED_BYTES = HEADER_BYTES + OWN_TIME_BYTES
/** All of a record up to the end of the client's id. */
export const RECORD_HEAD_BYTES_MAX = HEADER_BYTES + OWN_TIME_BYTES + PREVIOUS_BYTES + limits.eventIdBytesMax

/** The header of a decided event with another decision. */
export function decidedAgain(before: RecordHeader, decision: Decision, basis: DecisionBasis): RecordHeader {
  const { pending, lacksPoints, hasFeedback, hasClientId, bucketId, enrichments } = before
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
    hasFeedback,
    hasClientId,
    bucketId,
    enrichments,
    autonomy: autonomyAgain(before, label),
    basis,
  }
}

/** What follows the header. */
export interface RecordContent {
  /** The bytes of the body. */
  readonly body: Uint8Array
  readonly extras: EventExtras | null
  readonly clientId: string | null
}

/** A decision that was replaced by a later one. */
export interface PreviousDecision extends Decision {
  /** When the event was decided again, microseconds. */
  readonly reprocessedMicros: number
}

export function encodeRecord(header: RecordHeader, content: RecordContent, ownMicros = NO_OWN_TIME): Buffer {
  const { body, clientId } = content
  const extras = content.extras === null ? null : pack(content.extras)
  const idBytes = clientId === null ? 0 : Buffer.byteLength(clientId)
  const extrasBytes = extras === null ? 0 : 4 + extras.length
  const bytes = Buffer.allocUnsafe(FIXED_BYTES + idBytes + extrasBytes + body.length)
  layFlags(bytes, 0, idBytes, extras === null ? 0 : HAS_EXTRAS)
  writeHeader(bytes, header)
  putDouble(bytes, HEADER_BYTES, ownMicros)
  if (clientId !== null) bytes.write(clientId, FIXED_BYTES, 'utf8')
  if (extras !== null) {
    bytes.writeUInt32LE(extras.length, FIXED_BYTES + idBytes)
    bytes.set(extras, FIXED_BYTES + idBytes + 4)
  }
  bytes.set(body, FIXED_BYTES + idBytes + extrasBytes)
  return bytes
}

/** Bytes of a plain record: a header, the event's own time, and a body. */
export function plainRecordBytes(body: Uint8Array): number {
  return FIXED_BYTES + body.length
}

/** Writes a plain record at `at`. */
export function layPlainRecord(
  memory: Buffer,
  at: number,
  { header, body, ownMicros }: { readonly header: RecordHeader; readonly body: Uint8Array; readonly ownMicros: number },
): void {
  layFlags(memory, at, 0, 0)
  writeHeader(memory, header, at)
  putDouble(memory, at + HEADER_BYTES, ownMicros)
  memory.set(body, at + FIXED_BYTES)
}

/** What `writeHeader` keeps: the version, the length of the client's id, and which optional parts there are. */
function layFlags(memory: Buffer, at: number, idBytes: number, flags: number): void {
  memory[at] = VERSION
  memory[at + 1] = flags
  memory[at + 6] = idBytes
  memory[at + 7] = idBytes >> 8
}

/** The same record with another header. */
export function withHeader(record: Uint8Array, header: RecordHeader): Buffer {
  const bytes = Buffer.from(record)
  writeHeader(bytes, header)
  return bytes
}

/** The bytes of the body alone; a view. */
export function bodyOf(record: Buffer): Buffer {
  return record.subarray(bodyStartOf(record))
}

/** Where the body begins. */
export function bodyStartOf(record: Buffer): number {
  const idEnd = fixedBytes(record) + previousBytes(record) + record.readUInt16LE(6)
  return ((record[1] as number) & HAS_EXTRAS) === 0 ? idEnd : idEnd + 4 + record.readUInt32LE(idEnd)
}

/** What the client sent beside the body; null for nothing. */
export function extrasOf(record: Uint8Array): EventExtras | null {
  return ((record[1] as number) & HAS_EXTRAS) === 0 ? null : decodeContent(record).extras
}

/** The same record with another body. */
export function withBody(record: Uint8Array, body: Uint8Array): Buffer {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  return Buffer.concat([bytes.subarray(0, bytes.length - bodyOf(bytes).length), body])
}

/** The client's id, or null. */
export function clientIdOf(record: Buffer): string | null {
  const idBytes = record.readUInt16LE(6)
  const idStart = fixedBytes(record) + previousBytes(record)
  return idBytes === 0 ? null : record.toString('utf8', idStart, idStart + idBytes)
}

export function decodeContent(record: Uint8Array): RecordContent {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  const idStart = fixedBytes(bytes) + previousBytes(bytes)
  const idEnd = idStart + bytes.readUInt16LE(6)
  const clientId = idEnd === idStart ? null : bytes.toString('utf8', idStart, idEnd)
  if (((bytes[1] as number) & HAS_EXTRAS) === 0) return { body: bytes.subarray(idEnd), extras: null, clientId }
  const extrasEnd = idEnd + 4 + bytes.readUInt32LE(idEnd)
  const extras = unpack(bytes.subarray(idEnd + 4, extrasEnd)) as EventExtras
  return { body: bytes.subarray(extrasEnd), extras, clientId }
}

/** The decision before the event was last reprocessed, or null if it never was. Needs the whole record. */
export function decodePrevious(record: Uint8Array): PreviousDecision | null {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  if (previousBytes(bytes) === 0) return null
  const at = fixedBytes(bytes)
  const previous = bytes.subarray(at, at + PREVIOUS_BYTES)
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

/** The same record with another header and another previous decision. */
export function withPrevious(record: Uint8Array, header: RecordHeader, previous: PreviousDecision): Buffer {
  const old = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  const bytes = Buffer.alloc(record.length + PREVIOUS_BYTES - previousBytes(old))
  const at = fixedBytes(old)
  old.copy(bytes, 0, 0, at)
  old.copy(bytes, at + PREVIOUS_BYTES, at + previousBytes(old))
  bytes[1] = (bytes[1] as number) | HAS_PREVIOUS
  writeHeader(bytes, header)
  const block = bytes.subarray(at, at + PREVIOUS_BYTES)
  block[0] = previous.label < 0 ? NO_LABEL : previous.label
  block[1] = decisionSources.indexOf(previous.source)
  block.writeUInt16LE(previous.confidence, 2)
  block.writeUInt32LE(previous.modelVersion, 4)
  block.writeFloatLE(previous.outlierScore, 8)
  block[12] = previous.outlier ? 1 : 0
  block.writeDoubleLE(previous.reprocessedMicros, 16)
  return bytes
}

/** True if the event has a row in `notes`. */
export function hasNotes(record: Uint8Array): boolean {
  return ((record[1] as number) & HAS_NOTES) !== 0
}

/** The same record, flagged as having a row in `notes`. */
export function withNotes(record: Uint8Array): Buffer {
  const bytes = Buffer.from(record)
  bytes[1] = (bytes[1] as number) | HAS_NOTES
  return bytes
}

/** Bytes between the fixed ones and the client's id. */
function previousBytes(record: Uint8Array): number {
  return ((record[1] as number) & HAS_PREVIOUS) === 0 ? 0 : PREVIOUS_BYTES
}
