/**
 * How the id of a bucket leads to its row, for readers of a snapshot.
 *
 * Owns: the values of `bucket_ids` and `bucket_tail`, and lookups in both. Leaves out: rows (bucket-row.ts), writing
 * (actor/buckets/bucket-index.ts).
 *
 * 1. Ids are hashes, so each entry of `bucket_ids` lies on a page of its own. Entries are written in rounds of many
 *    buckets, in the order of ids. Until then the ids of new buckets are in `bucket_tail`, together with those of the
 *    same turn.
 * 2. An id may be in both, and in `bucket_tail` more than once: the highest number is valid. Where its row is
 *    gone, there is no bucket.
 */
import { assert } from '../assert.js'
import { BUCKET_ID_BYTES, bucketIdText } from '../domain/event/bucket-key.js'
import type { Environment } from './environment.js'
import { bucketKey, countKey, jobRange } from './tables.js'

type Reads = Pick<Environment, 'get' | 'range'>

const TAIL_VERSION = 1
const TAIL_HEAD_BYTES = 4
const NUMBER_BYTES = 4

/** A bucket in a row of `bucket_tail`. */
export interface TailEntry {
  readonly id: Uint8Array
  readonly number: number
}

/** | 0 version | 1 0 | 4 ids | numbers, u32 each | */
export function encodeTail(entries: readonly TailEntry[]): Buffer {
  const numbersAt = TAIL_HEAD_BYTES + BUCKET_ID_BYTES * entries.length
  const bytes = Buffer.allocUnsafe(numbersAt + NUMBER_BYTES * entries.length)
  bytes.fill(0, 0, TAIL_HEAD_BYTES)
  bytes[0] = TAIL_VERSION
  for (let i = 0; i < entries.length; i++) {
    const { id, number } = entries[i] as TailEntry
    const at = TAIL_HEAD_BYTES + BUCKET_ID_BYTES * i
    for (let j = 0; j < BUCKET_ID_BYTES; j++) bytes[at + j] = id[j] as number
    bytes.writeUInt32LE(number, numbersAt + NUMBER_BYTES * i)
  }
  return bytes
}

/** Calls `visit` with each bucket of a row of `bucket_tail`, its id as bucketIdText. */
export function visitTail(value: Uint8Array, visit: (id: string, number: number) => void): void {
  assert(value[0] === TAIL_VERSION, 'the row of new buckets has a version that this code knows')
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const count = (bytes.length - TAIL_HEAD_BYTES) / (BUCKET_ID_BYTES + NUMBER_BYTES)
  const numbersAt = TAIL_HEAD_BYTES + BUCKET_ID_BYTES * count
  for (let i = 0; i < count; i++) {
    const at = TAIL_HEAD_BYTES + BUCKET_ID_BYTES * i
    visit(bytes.toString('latin1', at, at + BUCKET_ID_BYTES), bytes.readUInt32LE(numbersAt + NUMBER_BYTES * i))
  }
}

export function encodeBucketNumber(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(NUMBER_BYTES)
  bytes.writeUInt32BE(number, 0)
  return bytes
}

/** The number in a value of `bucket_ids`. */
export function decodeBucketNumber(value: Uint8Array): number {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).readUInt32BE(0)
}

/** Lookups of one job in one snapshot. The first one that finds nothing in `bucket_ids` reads all of `bucket_tail`. */
export class BucketTable {
  readonly #reads: Reads
  readonly #jobId: number
  #tail: Map<string, number> | null = null

  constructor(reads: Reads, jobId: number) {
    this.#reads = reads
    this.#jobId = jobId
  }

  /** The row of the bucket with this id; undefined where there is none. */
  row(id: Uint8Array): Uint8Array | undefined {
    const number = this.numberOf(id)
    return number === null ? undefined : this.#reads.get('buckets', countKey(this.#jobId, number))
  }

  /** Its number, if it has a row. */
  numberOf(id: Uint8Array): number | null {
    // A bucket that has come again is in the tail, while the entry of the one before is deleted.
    const listed = this.#reads.get('bucket_ids', bucketKey(this.#jobId, id))
    return listed === undefined ? (this.#inTail().get(bucketIdText(id)) ?? null) : decodeBucketNumber(listed)
  }

  #inTail(): Map<string, number> {
    if (this.#tail !== null) return this.#tail
    const tail = new Map<string, number>()
    for (const { value } of this.#reads.range('bucket_tail', jobRange(this.#jobId)))
      visitTail(value, (id, number) => {
        if ((tail.get(id) ?? -1) < number) tail.set(id, number)
      })
    return (this.#tail = tail)
  }
}

/** The row of one bucket. */
export function readBucket(reads: Reads, jobId: number, id: Uint8Array): Uint8Array | undefined {
  return new BucketTable(reads, jobId).row(id)
}
