/**
 * Casting a vote on an event: what of the event and its bucket it changes.
 *
 * Owns: the marks on the event and the bucket, and the counters. Leaves out: the ballot itself (ballots.ts), finding the
 * event (job-actor.ts).
 */
import { Refusal } from '../errors.js'
import { must } from '../assert.js'
import type { Label } from '../job/job.js'
import { resolveLabel } from '../job/labels.js'
import type { FeedbackInput } from '../service.js'
import { withHeader } from '../store/event-record.js'
import { timeKey } from '../store/tables.js'
import { vote } from './ballots.js'
import type { BucketCache } from './bucket-cache.js'
import { subjectOf, type FoundEvent } from './event-table.js'
import type { JobStats } from './job-stats.js'
import type { TurnStore } from './turn-store.js'

/** The index of the label that the feedback names. @throws Refusal unknown_label. */
export function labelOf(labels: readonly Label[], feedback: FeedbackInput): number {
  const label = resolveLabel(labels, feedback.label)
  if (label !== null) return label
  throw new Refusal('unknown_label', `unknown label; the labels are ${labels.map(({ name }) => name).join(', ')}`)
}

export function cast(
  store: TurnStore,
  jobId: number,
  stats: JobStats,
  buckets: BucketCache,
  event: FoundEvent,
  { analyst, closingNotes, indicators }: FeedbackInput,
  label: number,
  atMicros: number,
): void {
  const { header, micros } = event
  const bucket = header.bucketId === null ? null : must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
  vote(store, jobId, subjectOf(header, micros), {
    analyst, label, atMicros, eventMicros: micros,
    ...(closingNotes === undefined ? {} : { closingNotes }),
    ...(indicators === undefined ? {} : { indicators }),
  }, stats)
  if (bucket !== null) {
    if (!bucket.hasBallot) bucket.stored = false
    bucket.hasBallot = true
    bucket.decision = null
    bucket.state = null
    buckets.touch(bucket)
  }
  if (!header.hasFeedback) {
    store.put('events', timeKey(jobId, micros), withHeader(event.record, { ...header, hasFeedback: true }))
    stats.change({ feedbackEvents: stats.row.feedbackEvents + 1 })
  }
  stats.change({ lastFeedbackMicros: atMicros })
}
