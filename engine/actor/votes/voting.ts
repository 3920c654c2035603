/**
 * Votes and overrides: what they change on the event, its bucket and the job, and their entries in the audit log.
 *
 * Owns: the flags of the event and the bucket, the job's counters, the audit entries. Leaves out: the ballot
 * (ballots.ts), messages (stored-events.ts).
 */
import { must } from '../../assert.js'
import { Refusal } from '../../errors.js'
import type { JobSettings, Label } from '../../domain/job/job.js'
import { resolveLabel } from '../../domain/job/labels.js'
import type { AuditEntry } from '../../api/audit-service.js'
import type { FeedbackInput } from '../../api/decision-service.js'
import type { Author } from '../../api/principal.js'
import { withHeader } from '../../store/event-record.js'
import { timeKey } from '../../store/tables.js'
import type { ActorDeps } from '../actor-deps.js'
import { addAuditEntry } from '../audit-outbox.js'
import type { BucketCache } from '../buckets/bucket-cache.js'
import type { Bucket } from '../buckets/bucket.js'
import { mustFindEvent, subjectOf, type FoundEvent } from '../event-table.js'
import { consensusName, override, readBallot, vote, withdrawVotes, type BallotChange } from './ballots.js'
import type { OverrideInput } from './override.js'

/** Who voted or overrode, and when. */
export interface Attribution {
  readonly by: Author
  readonly atMicros: number
}

/** A vote on an event. */
export interface EventVote {
  readonly eventId: string
  readonly feedback: FeedbackInput
  /** Index of the label. */
  readonly label: number
}

/** The index of the label that feedback names. @throws Refusal unknown_label. */
export function labelOf(labels: readonly Label[], { label: text }: Pick<FeedbackInput, 'label'>): number {
  const label = resolveLabel(labels, text)
  if (label !== null) return label
  throw new Refusal('unknown_label', `unknown label; the labels are ${labels.map(({ name }) => name).join(', ')}`)
}

/** Casts a vote on an event. */
export function voteOnEvent(
  deps: ActorDeps,
  event: FoundEvent,
  { eventId, feedback, label }: EventVote,
  { by, atMicros }: Attribution,
): void {
  const { settings, store, stats, buckets } = deps
  const { analyst, closingNotes, indicators } = feedback
  const { header, micros } = event
  const bucket =
    header.bucketId === null ? null : must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
  const change = vote(deps, subjectOf(header, micros), {
    analyst,
    label,
    atMicros,
    eventMicros: micros,
    ...(closingNotes === undefined ? {} : { closingNotes }),
    ...(indicators === undefined ? {} : { indicators }),
  })
  if (bucket !== null) ballotChanged(buckets, bucket, true)
  if (!header.hasFeedback) {
    store.put('events', timeKey(settings.id, micros), withHeader(event.record, { ...header, hasFeedback: true }))
    stats.change({ feedbackEvents: stats.row.feedbackEvents + 1 })
  }
  stats.change({ lastFeedbackMicros: atMicros })
  const earlier = change.before?.votes.find((each) => each.analyst === analyst)?.label
  const { labels } = settings
  addAuditEntry(store, {
    atMicros,
    by,
    ...consensusEntry(settings, change, bucket, {
      vote: { before: nameOf(labels, earlier), after: nameOf(labels, label) },
    }),
    analyst,
    action: 'voted',
    object: { type: 'event', id: eventId, title: '' },
  })
}

/**
 * Moves votes on an event that was not decided yet into the bucket that it is decided in. Called before the event
 * itself is moved. Enrichment gives the event another bucket; nothing would ever come into the old one again, and the
 * votes would be lost. Nobody has voted again, so the audit log has no entry. An analyst's later vote on the new bucket
 * stands.
 */
export function moveVotes(deps: ActorDeps, { header, micros }: FoundEvent, to: Bucket): void {
  const { store, settings, buckets } = deps
  if (header.bucketId === null || Buffer.compare(header.bucketId, to.id) === 0) return
  const ballot = readBallot(store, settings.id, header.bucketId)
  const given = ballot?.votes.filter(({ eventMicros }) => eventMicros === micros) ?? []
  if (given.length === 0) return
  withdrawVotes(deps, header.bucketId, micros)
  const from = must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
  ballotChanged(buckets, from, readBallot(store, settings.id, header.bucketId) !== null)
  for (const one of given) vote(deps, to.id, one)
  ballotChanged(buckets, to, true)
}

/** What an override is about. */
interface Target {
  readonly subject: Uint8Array
  readonly bucket: Bucket | null
  readonly object: AuditEntry['object']
}

/**
 * Checks an administrator's override (label null: its withdrawal) and returns what applies it. The target
 * is an event's bucket, the event itself where it has none, or a bucket (`eventId` null).
 * @throws Refusal event_not_found, bucket_not_found, unknown_label, override_not_found.
 */
export function overrule(
  deps: ActorDeps,
  eventId: string | null,
  input: OverrideInput,
  { by, atMicros }: Attribution,
): () => void {
  const { settings, store, stats, buckets } = deps
  const { labels } = settings
  const { subject, bucket, object } = eventId === null ? bucketTarget(deps, input.bucketId) : eventTarget(deps, eventId)
  const label = input.label === null ? null : labelOf(labels, { label: input.label })
  const before = readBallot(store, settings.id, subject)?.override ?? null
  if (label === null && before === null) throw new Refusal('override_not_found', 'there is no override to withdraw')
  return () => {
    const word = label === null ? null : { label, by: by.name, atMicros }
    const change = override(deps, subject, word)
    if (bucket !== null) ballotChanged(buckets, bucket, true)
    stats.change({ lastFeedbackMicros: atMicros })
    const names = { before: nameOf(labels, before?.label), after: nameOf(labels, word?.label) }
    addAuditEntry(store, {
      atMicros,
      by,
      ...consensusEntry(settings, change, bucket, { override: names }),
      action: label === null ? 'override withdrawn' : 'consensus overridden',
      object,
    })
  }
}

function eventTarget({ settings, store, buckets }: ActorDeps, eventId: string): Target {
  const event = mustFindEvent(store, settings.id, eventId)
  const { bucketId } = event.header
  const bucket = bucketId === null ? null : must(buckets.byId(store, bucketId), 'the bucket of a stored event')
  return { subject: subjectOf(event.header, event.micros), bucket, object: { type: 'event', id: eventId, title: '' } }
}

function bucketTarget({ store, buckets }: ActorDeps, bucketId: string | null): Target {
  const id = Buffer.from(bucketId ?? '', 'hex')
  const bucket = buckets.byId(store, id)
  // A bucket that its last event left in this turn is still in memory.
  if (bucket === null || (bucket.events === 0 && !bucket.hasBallot))
    throw new Refusal('bucket_not_found', 'bucket not found')
  return { subject: id, bucket, object: { type: 'bucket', id: id.toString('hex'), title: '' } }
}

/** The bucket's ballot has changed, or was deleted: the bucket's decision and state have to be worked out again. */
export function ballotChanged(buckets: BucketCache, bucket: Bucket, hasBallot: boolean): void {
  if (bucket.hasBallot !== hasBallot) bucket.stored = false
  bucket.hasBallot = hasBallot
  bucket.decision = null
  bucket.state = null
  buckets.touch(bucket)
}

/** The part of an audit entry that votes and overrides share. */
function consensusEntry(
  { id, title, labels }: JobSettings,
  { before, after }: BallotChange,
  bucket: Bucket | null,
  changes: NonNullable<AuditEntry['changes']>,
): Pick<AuditEntry, 'job' | 'changes' | 'details'> {
  const consensus = {
    before: before === null ? null : consensusName(labels, before.consensus),
    after: consensusName(labels, after.consensus),
  }
  return {
    job: { id, title },
    changes: { ...changes, ...(consensus.before === consensus.after ? {} : { consensus }) },
    details: { consensus: consensus.after, ...(bucket === null ? {} : { bucket_id: bucket.id.toString('hex') }) },
  }
}

function nameOf(labels: readonly Label[], label: number | undefined): string | null {
  return labels[label ?? -1]?.name ?? null
}
