/** What must hold between the buckets of a job, their counts, and the index of their ids. */
import { BUCKET_ID_BYTES, bucketIdText } from '../../domain/event/bucket-key.js'
import {
  countsInBucket,
  decodeBucket,
  decodeCount,
  decodeFirstBucket,
  type BucketRow,
  type CountRow,
} from '../../store/bucket-row.js'
import { BucketTable } from '../../store/bucket-table.js'
import type { Entry } from '../../store/environment.js'
import { countKey, JOB_BYTES } from '../../store/tables.js'
import type { UncountedEvents } from '../../actor/buckets/bucket-counts.js'
import type { ShardCheck } from './verify-shard.js'

/** What the events and ballots of the job say; buckets by id, as bucketIdText. */
export interface Recounted {
  /** Number of events. */
  readonly perBucket: ReadonlyMap<string, number>
  readonly uncounted: UncountedEvents
  readonly ballots: Pick<ReadonlyMap<string, unknown>, 'has'>
}

/** Returns how many rows of counts are of a bucket. */
export function checkBuckets(shard: ShardCheck, jobId: number, { perBucket, uncounted, ballots }: Recounted): number {
  const left = new Map(perBucket)
  const table = new BucketTable(shard, jobId)
  let counts = 0
  for (const entry of shard.entries('buckets', jobId)) {
    const row = bucketOf(shard, entry)
    if (row === null) continue
    const id = bucketIdText(row.id)
    if (!isUnderItsId(entry) && table.numberOf(row.id) !== row.number)
      shard.note('buckets', entry.key, 'is not found by its id')
    const key = countKey(jobId, row.number)
    const value = shard.get('counts', key)
    if (value !== undefined) counts++
    const count = countsOf(shard, entry, value)
    const whole = count === null ? null : uncounted.addTo(count, id).events
    if (whole !== null && whole !== (left.get(id) ?? 0))
      shard.note(
        value === undefined ? 'buckets' : 'counts',
        key,
        `says ${whole} events instead of ${left.get(id) ?? 0}`,
      )
    if (row.hasBallot !== ballots.has(id)) shard.note('buckets', entry.key, 'has a flag for its votes that is wrong')
    left.delete(id)
  }
  for (const id of left.keys()) shard.note('buckets', Buffer.from(id, 'latin1'), 'is missing, and has events')
  for (const { key } of shard.entries('bucket_ids', jobId))
    if (table.row(key.subarray(JOB_BYTES)) === undefined) shard.note('bucket_ids', key, 'leads to no bucket')
  return counts
}

/** As in a directory of format 1. */
function isUnderItsId({ key }: Entry): boolean {
  return key.length === JOB_BYTES + BUCKET_ID_BYTES
}

function bucketOf(shard: ShardCheck, entry: Entry): BucketRow | null {
  return isUnderItsId(entry)
    ? shard.read('buckets', entry, (value) => decodeFirstBucket(value, entry.key.subarray(JOB_BYTES)))
    : shard.read('buckets', entry, decodeBucket)
}

/** `value`: the bucket's row of counts. */
function countsOf(shard: ShardCheck, bucket: Entry, value: Uint8Array | undefined): CountRow | null {
  if (value !== undefined) return shard.read('counts', { key: bucket.key, value }, decodeCount)
  if (!isUnderItsId(bucket)) return shard.read('buckets', bucket, countsInBucket)
  shard.note('buckets', bucket.key, 'has no counts')
  return null
}
