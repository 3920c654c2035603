/** How an event's fate is told to whoever sent it: its decision, and where its bucket stands. */
import type { JobSettings } from '../domain/job/job.js'
import type { EventView } from '../api/decision-service.js'
import type { RecordHeader } from '../store/event-record.js'
import { readBallot, stateOf } from './votes/ballots.js'
import type { Bucket } from './buckets/bucket-cache.js'
import { subjectOf, type Reads } from './event-table.js'
import type { BucketState } from '../domain/learn/knowledge-base.js'
import type { EventReply, ShownReply } from './reply.js'

export interface Fate {
  readonly header: RecordHeader
  readonly micros: number
  /** Null for none; undefined where it is not at hand. */
  readonly bucket: Bucket | null | undefined
  /** The id, where it came out of the body. */
  readonly idFromBody: string | null
}

export function replyOf(
  reads: Reads,
  jobId: number,
  trainedThroughSeq: number,
  { header, micros, bucket, idFromBody }: Fate,
): EventReply {
  const { pending, label, confidence, outlier } = header
  return { micros, pending, label, confidence, outlier, bucketState: stateNow(), idFromBody }

  function stateNow(): BucketState {
    if (bucket === null) return 'new'
    if (bucket === undefined) return stateOf(readBallot(reads, jobId, subjectOf(header, micros)), trainedThroughSeq)
    if (!bucket.hasBallot) return 'new'
    bucket.state ??= stateOf(readBallot(reads, jobId, bucket.id), trainedThroughSeq)
    return bucket.state
  }
}

/** An event as its receiver sees it. */
export function viewOf(job: Pick<JobSettings, 'id' | 'labels'>, eventId: string, reply: ShownReply): EventView {
  const label = reply.label < 0 ? undefined : job.labels[reply.label]
  return {
    eventId,
    jobId: job.id,
    ingestMicros: reply.micros,
    status: reply.pending ? 'pending_inference' : 'OK',
    errorMessage: null,
    result: label === undefined ? '' : label.id,
    resultLabel: label === undefined ? '' : label.name,
    bucketState: reply.bucketState,
    outlier: reply.outlier,
    confidenceScore: reply.confidence / 100,
  }
}
