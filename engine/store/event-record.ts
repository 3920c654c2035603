/**
 * The record of an event: a fixed header that lists and counts read without unpacking, then the rest.
 *
 * | at | bytes | what                                                                   |
 * |----|-------|------------------------------------------------------------------------|
 * | 0  | 1     | version of this layout, 1                                              |
 * | 1  | 1     | flags, below                                                           |
 * | 2  | 1     | label index, 255 without a decision                                    |
 * | 3  | 1     | source of the decision: 0 none, 1 model, 2 knowledge base              |
 * | 4  | 2     | confidence in hundredths of a percent, little-endian like all the rest |
 * | 6  | 2     | bytes of the client's id, 0 for none                                   |
 * | 8  | 4     | model version, 0 for none                                              |
 * | 12 | 4     | outlier score, 32-bit float                                            |
 * | 16 | 16    | bucket id, zeros where the job has no buckets                          |
 * | 32 |       | the client's id, UTF-8                                                 |
 * |    |       | where the flag says so: length u32 and MessagePack of the extras       |
 * |    |       | the body (event/body-format.ts), to the end                            |
 *
 * The ingest time is the key. Later versions add fields behind; code reads every version up to its own (D11).
 */
import type { Decision, DecisionSource } from '../decide/decision.js'
import type { EventExtras } from '../event/envelope.js'
import { BUCKET_ID_BYTES } from '../event/bucket-key.js'
import { assert } from '../assert.js'
import { pack, unpack } from './pack.js'

const VERSION = 1
const HEADER_BYTES = 32
const NO_LABEL = 255

const PENDING = 1
const OUTLIER = 2
const LACKS_POINTS = 4
const HAS_FEEDBACK = 8
const HAS_CLIENT_ID = 16
const HAS_EXTRAS = 32

const sources: readonly DecisionSource[] = ['none', 'model', 'knowledge_base']

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

/** What stands behind the header. */
export interface RecordContent {
  /** The bytes of the body. */
  readonly body: Uint8Array
  readonly extras: EventExtras | null
  readonly clientId: string | null
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
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  assert(bytes[0] === VERSION, 'a record of a version that this code knows')
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
    source: sources[bytes[3] as number] ?? 'none',
    confidence: bytes.readUInt16LE(4),
    modelVersion: bytes.readUInt32LE(8),
    outlierScore: bytes.readFloatLE(12),
    bucketId: isZero(bucketId) ? null : bucketId,
  }
}

export function decodeContent(record: Uint8Array): RecordContent {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  const idEnd = HEADER_BYTES + bytes.readUInt16LE(6)
  const clientId = idEnd === HEADER_BYTES ? null : bytes.toString('utf8', HEADER_BYTES, idEnd)
  if (((bytes[1] as number) & HAS_EXTRAS) === 0) return { body: bytes.subarray(idEnd), extras: null, clientId }
  const extrasEnd = idEnd + 4 + bytes.readUInt32LE(idEnd)
  const extras = unpack(bytes.subarray(idEnd + 4, extrasEnd)) as EventExtras
  return { body: bytes.subarray(extrasEnd), extras, clientId }
}

/** Everything in the header but what decodeContent goes by: the length of the id, and whether there are extras. */
function writeHeader(bytes: Buffer, header: RecordHeader): void {
  bytes[0] = VERSION
  bytes[1] =
    ((bytes[1] as number) & HAS_EXTRAS) |
    (header.pending ? PENDING : 0) |
    (header.outlier ? OUTLIER : 0) |
    (header.lacksPoints ? LACKS_POINTS : 0) |
    (header.hasFeedback ? HAS_FEEDBACK : 0) |
    (header.hasClientId ? HAS_CLIENT_ID : 0)
  bytes[2] = header.label < 0 ? NO_LABEL : header.label
  bytes[3] = sources.indexOf(header.source)
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
