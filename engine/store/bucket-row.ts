/**
 * The rows of buckets and of their counts, as values and as bytes.
 *
 * Owns: their layout. Leaves out: keys (tables.ts), how an id leads to a row (bucket-table.ts).
 *
 * 1. Rows of buckets lie in the order of their numbers, so new ones are appended. Where each lay under its id, a hash,
 *    every new bucket would change a page of its own.
 * 2. A row holds the counts as they were when it was written. Once they change alone, they have a row in `counts`, and
 *    that one is valid.
 */
import { assert } from '../assert.js'
import { BUCKET_ID_BYTES } from '../domain/event/bucket-key.js'
import type { PointValue } from '../domain/event/point-value.js'
import { pack, unpack } from './pack.js'

const VERSION = 2
const COUNT_VERSION = 1

/** The counts of a bucket, which change with every event. */
export interface CountRow {
  /** Events in the bucket now. */
  readonly events: number
  /** Ingest time of the latest event, microseconds. */
  readonly lastMicros: number
  /** By label: how many of these events have it as their decision. */
  readonly decided: readonly number[]
}

/** What a bucket is beside its values and counts: a row without its rest. */
export interface BucketHead {
  readonly id: Uint8Array
  /** Counts up in the job; the key of its row, and of its counts. */
  readonly number: number
  /** Ingest time of its first event, microseconds. */
  readonly firstMicros: number
  /** There are votes, so there is a ballot. */
  readonly hasBallot: boolean
  /** Of the list of decision points (event/decision-points.ts). */
  readonly fingerprint: number
}

/** A bucket: events with the same values at the decision points. */
export interface BucketRow extends BucketHead {
  readonly values: readonly PointValue[]
}

const [NUMBER, FIRST, FINGERPRINT, EVENTS, LAST, ID] = [4, 8, 16, 20, 24, 32] as const
const HEAD_BYTES = ID + BUCKET_ID_BYTES

/**
 * | 0 version | 1 has ballot | 2 labels | 3 0 | 4 number u32 | 8 first f64 | 16 fingerprint u32 | 20 events u32 |
 * | 24 last f64 | 32 id | 48 decided, u32 each | values, MessagePack |
 */
export function encodeBucket(row: BucketHead & CountRow, values: BucketRow['values']): Buffer {
  const { id, decided } = row
  const bytes = pack(values, HEAD_BYTES + 4 * decided.length)
  bytes[0] = VERSION
  bytes[1] = row.hasBallot ? 1 : 0
  bytes[2] = decided.length
  bytes[3] = 0
  bytes.writeUInt32LE(row.number, NUMBER)
  bytes.writeDoubleLE(row.firstMicros, FIRST)
  bytes.writeUInt32LE(row.fingerprint, FINGERPRINT)
  bytes.writeUInt32LE(row.events, EVENTS)
  bytes.writeDoubleLE(row.lastMicros, LAST)
  // For so few bytes a loop is faster than a call.
  for (let i = 0; i < BUCKET_ID_BYTES; i++) bytes[ID + i] = id[i] as number
  for (let i = 0; i < decided.length; i++) bytes.writeUInt32LE(decided[i] as number, HEAD_BYTES + 4 * i)
  return bytes
}

function checked(value: Uint8Array): Buffer {
  assert(value[0] === VERSION, 'the bucket row has a version that this code knows')
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

export function decodeBucket(value: Uint8Array): BucketRow {
  const bytes = checked(value)
  const from = HEAD_BYTES + 4 * (bytes[2] as number)
  return { ...headOf(bytes), values: unpack(bytes.subarray(from)) as PointValue[] }
}

/** All but the values. */
export function decodeBucketHead(value: Uint8Array): BucketHead {
  return headOf(checked(value))
}

function headOf(bytes: Buffer): BucketHead {
  return {
    id: bytes.subarray(ID, HEAD_BYTES),
    number: bytes.readUInt32LE(NUMBER),
    hasBallot: bytes[1] === 1,
    firstMicros: bytes.readDoubleLE(FIRST),
    fingerprint: bytes.readUInt32LE(FINGERPRINT),
  }
}

/** The counts as they were when the row was written. */
export function countsInBucket(value: Uint8Array): CountRow {
  const bytes = checked(value)
  return {
    events: bytes.readUInt32LE(EVENTS),
    lastMicros: bytes.readDoubleLE(LAST),
    decided: Array.from({ length: bytes[2] as number }, (_, label) => bytes.readUInt32LE(HEAD_BYTES + 4 * label)),
  }
}

const noDecided: readonly number[] = []

/** As countsInBucket and decodeCount, without how the events were decided: for walks over all buckets. */
export const eventsOnly = {
  inBucket: (value: Uint8Array): CountRow => {
    const bytes = checked(value)
    return { events: bytes.readUInt32LE(EVENTS), lastMicros: bytes.readDoubleLE(LAST), decided: noDecided }
  },
  ofCount: (value: Uint8Array): CountRow => {
    const bytes = checkedCount(value)
    return { events: bytes.readUInt32LE(4), lastMicros: bytes.readDoubleLE(8), decided: noDecided }
  },
}

const COUNT_BYTES = 16

export function countBytes({ decided }: CountRow): number {
  return COUNT_BYTES + 4 * decided.length
}

/** | 0 version | 1 0 | 4 events u32 | 8 last f64 | 16 decided, u32 each | in `bytes` at `at`, or in new bytes. */
export function encodeCount(row: CountRow, bytes: Buffer = Buffer.allocUnsafe(countBytes(row)), at = 0): Buffer {
  const { decided } = row
  bytes[at] = COUNT_VERSION
  bytes[at + 1] = bytes[at + 2] = bytes[at + 3] = 0
  bytes.writeUInt32LE(row.events, at + 4)
  bytes.writeDoubleLE(row.lastMicros, at + 8)
  for (let i = 0; i < decided.length; i++) bytes.writeUInt32LE(decided[i] as number, at + COUNT_BYTES + 4 * i)
  return bytes
}

function checkedCount(value: Uint8Array): Buffer {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  assert(bytes[0] === COUNT_VERSION, 'the count row has a version that this code knows')
  return bytes
}

export function decodeCount(value: Uint8Array): CountRow {
  const bytes = checkedCount(value)
  const labels = (bytes.length - COUNT_BYTES) / 4
  return {
    events: bytes.readUInt32LE(4),
    lastMicros: bytes.readDoubleLE(8),
    decided: Array.from({ length: labels }, (_, label) => bytes.readUInt32LE(COUNT_BYTES + 4 * label)),
  }
}

/** A row of format 1, which lay under the id of its bucket: | 0 version 1 | as above, to 20 | 24 values |. */
export function decodeFirstBucket(value: Uint8Array, id: Uint8Array): BucketRow {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  assert(bytes[0] === 1, 'the bucket row has a version that this code knows')
  return { ...headOf(bytes), id, values: unpack(bytes.subarray(24)) as PointValue[] }
}
