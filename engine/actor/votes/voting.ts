/**
 * Votes and overrides: what of the event, its bucket and the job they change, and what the audit log is told.
 *
 * Owns: the marks on the event and the bucket, the counters, the entry in the outbox. Leaves out: the ballot itself
 * (ballots.ts), finding the event (job-actor.ts).
 */
import { Refusal } from '../../errors.js'
import { must } from '../../assert.js'
import type { JobSettings, Label } from '../../domain/job/job.js'
import { resolveLabel } from '../../domain/job/labels.js'
import type { FeedbackInput } from '../../api/decision-service.js'
import { withHeader } from '../../store/event-record.js'
import { timeKey } from '../../store/tables.js'
import { consensusName, override, readBallot, vote, type BallotChange } from './ballots.js'
import type { Bucket, BucketCache } from '../buckets/bucket-cache.js'
import { mustFindEvent, subjectOf, type FoundEvent } from '../event-table.js'
import type { JobStats } from '../job-stats.js'
import { tell } from '../audit-outbox.js'
import type { OverrideInput } from './override.js'
import type { TurnStore } from '../turn-store.js'
import type { AuditEntry } from '../../api/audit-service.js'
import type { Author } from '../../api/principal.js'

/** The state of a job that feedback changes. */
export interface Polling {
  readonly settings: JobSettings
  readonly store: TurnStore
  readonly stats: JobStats
  readonly buckets: BucketCache
}

/** Who, and when. */
export interface Cast {
  readonly by: Author
  readonly atMicros: number
}

/** The index of the label that is named. @throws Refusal unknown_label. */
export function labelOf(labels: readonly Label[], { label: text }: Pick<FeedbackInput, 'label'>): number {
  const label = resolveLabel(labels, text)
  if (label !== null) return label
  throw new Refusal('unknown_label', `unknown label; the labels are ${labels.map(({ name }) => name).join(', ')}`)
}

/** Casts a vote on an event. */
export function cast(
  polling: Polling,
  event: FoundEvent,
  eventId: string,
  { analyst, closingNotes, indicators }: FeedbackInput,
  label: number,
  { by, atMicros }: Cast,
): void {
  const { settings, store, stats, buckets } = polling
  const { header, micros } = event
  const bucket =
    header.bucketId === null ? null : must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
  const change = vote(
    store,
    settings.id,
    subjectOf(header, micros),
    {
      analyst,
      label,
      atMicros,
      eventMicros: micros,
      ...(closingNotes === undefined ? {} : { closingNotes }),
      ...(indicators === undefined ? {} : { indicators }),
    },
    stats,
  )
  if (bucket !== null) markBallot(buckets, bucket)
  if (!header.hasFeedback) {
    store.put('events', timeKey(settings.id, micros), withHeader(event.record, { ...header, hasFeedback: true }))
    stats.change({ feedbackEvents: stats.row.feedbackEvents + 1 })
  }
  stats.change({ lastFeedbackMicros: atMicros })
  const nameOf = (of: number | undefined): string | null => settings.labels[of ?? -1]?.name ?? null
  const earlier = change.before?.votes.find((each) => each.analyst === analyst)?.label
  tell(store, {
    ...entryOf(settings, change, bucket, { by, atMicros }, { vote: { before: nameOf(earlier), after: nameOf(label) } }),
    analyst,
    action: 'voted',
    object: { type: 'event', id: eventId, title: '' },
  })
}

/** What an override is about. */
interface Target {
  readonly subject: Uint8Array
  readonly bucket: Bucket | null
  readonly object: AuditEntry['object']
}

/**
 * What sets an administrator's override on an event's bucket, on the event where there are no buckets, or on a bucket; or
 * withdraws it.
 * @throws Refusal event_not_found, bucket_not_found, unknown_label, override_not_found, before anything is changed.
 */
export function overrule(
  polling: Polling,
  eventId: string | null,
  input: OverrideInput,
  { by, atMicros }: Cast,
): () => void {
  const { settings, store, stats, buckets } = polling
  const { subject, bucket, object } =
    eventId === null ? bucketTarget(polling, input.bucketId) : eventTarget(polling, eventId)
  const label = input.label === null ? null : labelOf(settings.labels, { label: input.label })
  const before = readBallot(store, settings.id, subject)?.override ?? null
  if (label === null && before === null) throw new Refusal('override_not_found', 'there is no override to withdraw')
  return () => {
    const word = label === null ? null : { label, by: by.name, atMicros }
    const change = override(store, settings.id, subject, word, stats)
    if (bucket !== null) markBallot(buckets, bucket)
    stats.change({ lastFeedbackMicros: atMicros })
    const nameOf = (of: number | undefined): string | null => settings.labels[of ?? -1]?.name ?? null
    tell(store, {
      ...entryOf(
        settings,
        change,
        bucket,
        { by, atMicros },
        { override: { before: nameOf(before?.label), after: nameOf(word?.label) } },
      ),
      action: label === null ? 'override withdrawn' : 'consensus overridden',
      object,
    })
  }
}

function eventTarget({ settings, store, buckets }: Polling, eventId: string): Target {
  const event = mustFindEvent(store, settings.id, eventId)
  const { bucketId } = event.header
  const bucket = bucketId === null ? null : must(buckets.byId(store, bucketId), 'the bucket of a stored event')
  return { subject: subjectOf(event.header, event.micros), bucket, object: { type: 'event', id: eventId, title: '' } }
}

function bucketTarget({ store, buckets }: Polling, bucketId: string | null): Target {
  const id = Buffer.from(bucketId ?? '', 'hex')
  const bucket = buckets.byId(store, id)
  // One that its last event has left in this turn is still at hand.
  if (bucket === null || (bucket.events === 0 && !bucket.hasBallot))
    throw new Refusal('bucket_not_found', 'bucket not found')
  return { subject: id, bucket, object: { type: 'bucket', id: id.toString('hex'), title: '' } }
}

/** The bucket's ballot has changed, or is not there any more: its answer and its state have to be worked out again. */
export function markBallot(buckets: BucketCache, bucket: Bucket, hasBallot = true): void {
  if (bucket.hasBallot !== hasBallot) bucket.stored = false
  bucket.hasBallot = hasBallot
  bucket.decision = null
  bucket.state = null
  buckets.touch(bucket)
}

/** What votes and overrides tell alike. */
function entryOf(
  { id, title, labels }: JobSettings,
  { before, after }: BallotChange,
  bucket: Bucket | null,
  { by, atMicros }: Cast,
  changes: NonNullable<AuditEntry['changes']>,
): Pick<AuditEntry, 'atMicros' | 'by' | 'job' | 'changes' | 'details'> {
  const consensus = {
    before: before === null ? null : consensusName(labels, before.consensus),
    after: consensusName(labels, after.consensus),
  }
  return {
    atMicros,
    by,
    job: { id, title },
    changes: { ...changes, ...(consensus.before === consensus.after ? {} : { consensus }) },
    details: { consensus: consensus.after, ...(bucket === null ? {} : { bucket_id: bucket.id.toString('hex') }) },
  }
}
