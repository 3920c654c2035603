/**
 * The bytes that a job's own rows take, estimated from a sample of each table.
 *
 * 1. Only rows of the job count. So the figure changes with the job, whatever else is in its shard.
 * 2. Rows are sampled at even distances between the first key and the last, so an estimate takes as long for a million
 *    rows as for a hundred, but for the count of keys. A table with few rows is read as a whole.
 */
import type { Environment } from '../../store/environment.js'
import { JOB_BYTES, jobRange, sharedTables, shardTables } from '../../store/tables.js'

const SAMPLES = 64
/** What the store needs for each entry beside key and value: its header, and its place in the page. */
const ENTRY_BYTES = 10
/** Values above this many bytes have pages of their own. */
const LARGE_BYTES = 2_000
const PAGE_BYTES = 4_096
/** Bytes of a key behind the job that places are computed from. */
const PLACE_BYTES = 8

type Rows = Pick<Environment, 'range' | 'count'>

/** Bytes of all rows of the job. */
export function jobStorageBytes(environment: Rows, jobId: number): number {
  const own = shardTables.filter((table) => !sharedTables.includes(table))
  return own.reduce((sum, table) => sum + tableBytes(environment, table, jobId), 0)
}

function tableBytes(environment: Rows, table: string, jobId: number): number {
  const range = jobRange(jobId)
  const few = [...environment.range(table, { ...range, limit: SAMPLES })]
  if (few.length < SAMPLES) return sizeOf(few)
  const [last] = environment.range(table, { ...range, reverse: true, limit: 1 })
  const [first] = few
  if (first === undefined || last === undefined) return 0
  const [from, to] = [placeOf(first.key), placeOf(last.key)]
  const sample = Array.from({ length: SAMPLES }, (_, at) => {
    const place = from + ((to - from) * BigInt(at)) / BigInt(SAMPLES)
    return [...environment.range(table, { from: keyAt(first.key, place), to: range.to, limit: 1 })]
  }).flat()
  return (sizeOf(sample) / sample.length) * environment.count(table, range)
}

function sizeOf(entries: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[]): number {
  return entries.reduce((sum, { key, value }) => {
    const large = value.length > LARGE_BYTES
    const valueBytes = large ? Math.ceil(value.length / PAGE_BYTES) * PAGE_BYTES : value.length
    return sum + key.length + valueBytes + ENTRY_BYTES
  }, 0)
}

/** The first bytes of a key behind its job, as a number. */
function placeOf(key: Uint8Array): bigint {
  const bytes = Buffer.alloc(PLACE_BYTES)
  bytes.set(key.subarray(JOB_BYTES, JOB_BYTES + PLACE_BYTES))
  return bytes.readBigUInt64BE()
}

/** A key of the same job at this place. */
function keyAt(key: Uint8Array, place: bigint): Buffer {
  const made = Buffer.alloc(JOB_BYTES + PLACE_BYTES)
  made.set(key.subarray(0, JOB_BYTES))
  made.writeBigUInt64BE(place, JOB_BYTES)
  return made
}
