/**
 * How much of the latest promises came true, measured on the counts of their buckets.
 *
 * 1. A promise counts once its seven days are over. What came later is taken off in proportion.
 * 2. An event is settled where it has the label that was voted for. Events that were stored before the vote and decided
 *    again do not count: there are at most as many as came since.
 * 3. A promise whose event or bucket is gone says nothing.
 */
import { bucketIdText } from '../../domain/event/bucket-key.js'
import { selectionBounds as bounds } from '../../domain/learn/selection/bounds.js'
import { keptShare, promiseMicros, type RipePromise } from '../../domain/learn/selection/promise.js'
import type { NextPage } from '../../api/next-service.js'
import { decodeBucketHead } from '../../store/bucket-row.js'
import { readBucket } from '../../store/bucket-table.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { picksBefore } from '../../actor/votes/picks.js'
import type { JobAt } from '../explain/job-at.js'
import { lastEventOf } from './candidate-pool.js'

export function promisesKept(at: JobAt, nowMicros: number): NextPage['promises'] {
  const { environment, job } = at
  const counts = new BucketCounts(environment, job.id)
  const ripe: RipePromise[] = []
  for (const pick of picksBefore(environment, job.id, nowMicros - promiseMicros, bounds.promisesMeasured)) {
    const bucketId = lastEventOf(at, pick.eventMicros)?.header.bucketId ?? null
    const row = bucketId === null ? undefined : readBucket(environment, job.id, bucketId)
    if (bucketId === null || row === undefined) continue
    const now = counts.of(bucketIdText(bucketId), decodeBucketHead(row).number)
    const since = Math.max(0, now.events - pick.events)
    const settled = Math.min(since, Math.max(0, (now.decided[pick.label] ?? 0) - pick.decided))
    ripe.push({ promised: pick.promised, settled, ageMicros: nowMicros - pick.atMicros })
  }
  return { measured: ripe.length, kept: keptShare(ripe) }
}
