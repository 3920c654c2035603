/** Buckets in memory from their rows, and back. */
import { must } from '../../assert.js'
import { countsInBucket, decodeBucket, decodeCount, encodeBucket } from '../../store/bucket-row.js'
import { countKey } from '../../store/tables.js'
import type { TurnStore } from '../turn-store.js'
import { newBucket, type Bucket } from './bucket.js'
import type { Slab } from './slab.js'

interface Stored {
  readonly jobId: number
  /** Its row. */
  readonly bytes: Uint8Array
  /** Where its id is kept. */
  readonly slab: Slab
}

export function storedBucket(store: TurnStore, { jobId, bytes, slab }: Stored): Bucket {
  const row = decodeBucket(bytes)
  const own = store.get('counts', countKey(jobId, row.number))
  const counts = own === undefined ? countsInBucket(bytes) : decodeCount(own)
  return newBucket({ jobId, row: { ...row, id: slab.copy(row.id) }, counts, stored: true })
}

/** Writes the row of a bucket, with its counts. */
export function writeBucket(store: TurnStore, bucket: Bucket): void {
  const key = countKey(bucket.jobId, bucket.number)
  const values = bucket.values ?? decodeBucket(must(store.get('buckets', key), 'the row of a bucket')).values
  store.put('buckets', key, encodeBucket(bucket, values))
  bucket.stored = true
  bucket.values = null
}
