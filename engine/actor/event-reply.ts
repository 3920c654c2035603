/** The reply to an event: its decision, and where its bucket stands. */
import { blind } from '../domain/autonomy/passage.js'
import type { JobSettings } from '../domain/job/job.js'
import type { BucketState } from '../domain/learn/knowledge-base.js'
import type { EventView } from '../api/decision-service.js'
import type { Stored } from '../api/event-answer.js'
import type { RecordHeader } from '../store/event-record.js'
import type { ActorDeps } from './actor-deps.js'
import type { Bucket } from './buckets/bucket.js'
import { subjectOf } from './event-table.js'
import type { EventReply, ShownReply } from './reply.js'
import { readBallot, stateOf } from './votes/ballots.js'

/** A stored event, as it is replied to. */
export interface StoredEvent {
  readonly header: RecordHeader
  readonly micros: number
  /** Null where the event has none; undefined where its bucket is not in memory. */
  readonly bucket: Bucket | null | undefined
  /** As in EventReply. */
  readonly idToTell: string | null
  readonly stored: Stored
}

export function replyOf(deps: ActorDeps, event: StoredEvent): EventReply {
  const { header, micros, idToTell, stored } = event
  const { pending, label, confidence, outlier } = header
  const bucketState = bucketStateOf(deps, event)
  const autonomy = blind(header.autonomy)
  return { micros, pending, label, confidence, outlier, bucketState, autonomy, idToTell, stored }
}

function bucketStateOf({ store, settings, stats }: ActorDeps, { header, micros, bucket }: StoredEvent): BucketState {
  if (bucket === null) return 'new'
  if (bucket === undefined)
    return stateOf(readBallot(store, settings.id, subjectOf(header, micros)), stats.row.trainedThroughSeq)
  if (!bucket.hasBallot) return 'new'
  bucket.state ??= stateOf(readBallot(store, settings.id, bucket.id), stats.row.trainedThroughSeq)
  return bucket.state
}

/** The reply as a client sees it. */
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
    autonomy: reply.autonomy,
  }
}
