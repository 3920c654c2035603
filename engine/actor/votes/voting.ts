/**
 * Votes: what they change on the event, its bucket and the job, and their entries in the audit log.
 *
 * Owns: the flags of the event and the bucket, the job's counters, the audit entries. Leaves out: the ballot
 * (ballots.ts), overrides (overruling.ts), messages (stored-events.ts).
 */
import { must } from '../../assert.js'
import { isoMicros } from '../../clock.js'
import { Refusal } from '../../errors.js'
import type { JobSettings, Label } from '../../domain/job/job.js'
import { isWeighted } from '../../domain/job/weighting.js'
import { resolveLabel } from '../../domain/job/labels.js'
import type { AuditEntry } from '../../api/audit-service.js'
import type { FeedbackInput, OwnVoteView, VoteScope } from '../../api/decision-service.js'
import type { Author } from '../../api/principal.js'
import { withHeader } from '../../store/event-record.js'
import type { StoredVote } from '../../store/ballot-row.js'
import { timeKey } from '../../store/tables.js'
import type { ActorDeps } from '../actor-deps.js'
import { countProtected, voted, votedOnBucket } from '../autonomy/audit-answers.js'
import { addAuditEntry } from '../audit-outbox.js'
import type { BucketCache } from '../buckets/bucket-cache.js'
import type { Bucket } from '../buckets/bucket.js'
import { eventAt, subjectOf, type FoundEvent } from '../event-table.js'
import {
  consensusName,
  readBallot,
  removeVotes,
  restore,
  vote,
  voteOnWhole,
  withdraw,
  type BallotChange,
} from './ballots.js'
import { keepFirstAnswer, settleTruth } from './first-answers.js'
import { notePick } from './picks.js'
import { readVotes, readWithdrawn, WHOLE_BUCKET } from './vote-rows.js'

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
export function labelOf(labels: readonly Label[], { label: text }: { readonly label: string }): number {
  const label = resolveLabel(labels, text)
  if (label !== null) return label
  throw new Refusal('unknown_label', `unknown label; the labels are ${labels.map(({ name }) => name).join(', ')}`)
}

/** How a vote or a withdrawal stands to what its analyst has said before. */
export type VoteStanding =
  /** It counts. */
  | 'latest'
  /** It was taken before: a client has sent it again. */
  | 'known'
  /** The analyst has said something else since, or the vote to take back has changed. */
  | 'outdated'

/** Whether a vote counts; it may have waited, and another one may have come before. */
export function standingOf(
  deps: ActorDeps,
  event: FoundEvent,
  feedback: FeedbackInput,
  atMicros: number,
): VoteStanding {
  const { settings, store } = deps
  const { analyst, votedMicros = atMicros, takesBack, voteId } = feedback
  const place = placeOf(event, feedback.scope)
  const own = ownVote(readVotes(store, settings.id, place.subject, place.micros), analyst)
  if (takesBack !== undefined) {
    const isOwn = 'voteId' in takesBack ? own?.voteId === takesBack.voteId : own?.atMicros === takesBack.votedMicros
    return isOwn && own !== undefined ? 'latest' : 'outdated'
  }
  if (voteId !== undefined && own?.voteId === voteId) return 'known'
  if (own !== undefined && own.atMicros > votedMicros) return 'outdated'
  if (feedback.votedMicros === undefined) return 'latest'
  const withdrawn = readWithdrawn(store, settings.id, place.subject, place.micros)
  const withdrawnMicros = withdrawn.find((one) => one.analyst === analyst)?.atMicros ?? 0
  if (feedback.label === null) return withdrawnMicros === votedMicros ? 'known' : 'latest'
  if (withdrawnMicros > votedMicros) return 'outdated'
  const label = labelOf(settings.labels, { label: feedback.label })
  return own?.atMicros === votedMicros && own.label === label ? 'known' : 'latest'
}

/** The row of the votes that a vote is among: those on the event, or on its whole bucket. */
function placeOf({ header, micros }: FoundEvent, scope: VoteScope = 'event') {
  const isWhole = header.bucketId !== null && scope === 'bucket'
  return { subject: subjectOf(header, micros), micros: isWhole ? WHOLE_BUCKET : micros, isWhole }
}

/** The analyst's vote on the event, else the one on its whole bucket; null without one. */
export function ownVoteView(deps: ActorDeps, event: FoundEvent, analyst: string): OwnVoteView | null {
  const { settings, store } = deps
  const subject = subjectOf(event.header, event.micros)
  const onEvent = ownVote(readVotes(store, settings.id, subject, event.micros), analyst)
  const own = onEvent ?? ownVote(readVotes(store, settings.id, subject, WHOLE_BUCKET), analyst)
  if (own === undefined) return null
  return {
    label: nameOf(settings.labels, own.label) ?? '',
    scope: onEvent === undefined ? 'bucket' : 'event',
    votedMicros: own.atMicros,
    closingNotes: own.closingNotes ?? null,
  }
}

/** Casts a vote on an event, or on all of its bucket. It is the latest of its analyst (standingOf). */
export function voteOnEvent(
  deps: ActorDeps,
  event: FoundEvent,
  { eventId, feedback, label }: EventVote,
  { by, atMicros }: Attribution,
): void {
  const { settings, store, stats, buckets, model } = deps
  const { analyst, closingNotes, indicators, pickedBy, votedMicros = atMicros, voteId } = feedback
  const { micros } = event
  const bucket = bucketOf(deps, event)
  const { subject, micros: place, isWhole } = placeOf(event, feedback.scope)
  const earlier = ownVote(readVotes(store, settings.id, subject, place), analyst)
  const cast: StoredVote = {
    analyst,
    label,
    atMicros: votedMicros,
    eventMicros: micros,
    ...(isWeighted(settings) && !isWhole ? { weight: model.weightOf(analyst, label) } : {}),
    ...(pickedBy === undefined ? {} : { pickedBy }),
    ...(closingNotes === undefined ? {} : { closingNotes }),
    ...(indicators === undefined ? {} : { indicators }),
    ...(voteId === undefined ? {} : { voteId }),
  }
  keepFirstAnswer(deps, event, readBallot(store, settings.id, subject))
  let change: BallotChange
  if (isWhole) {
    const whole = voteOnWhole(deps, subject, cast, { atMicros })
    for (const touched of [...whole.touched, ...(earlier === undefined ? [] : [earlier.eventMicros])])
      checkVoted(deps, subject, touched)
    change = whole
  } else change = vote(deps, subject, cast, { atMicros })
  if (bucket !== null) ballotChanged(buckets, bucket, true)
  if (bucket !== null && pickedBy !== undefined)
    notePick(deps, bucket, { pickedBy, eventMicros: micros, label }, atMicros)
  setVoted(deps, micros, true)
  auditAnswered(deps, isWhole ? subject : null, event, atMicros)
  countProtected(deps, event, change, atMicros)
  settleTruth(deps, micros)
  stats.change({ lastFeedbackMicros: atMicros })
  const { labels } = settings
  const entry = consensusEntry(settings, change, bucket, {
    vote: { before: nameOf(labels, earlier?.label), after: nameOf(labels, label) },
  })
  addAuditEntry(store, {
    atMicros,
    by,
    ...entry,
    ...(votedMicros === atMicros ? {} : { details: { ...entry.details, voted_at: isoMicros(votedMicros) } }),
    analyst,
    action: isWhole ? 'voted on bucket' : 'voted',
    object: { type: 'event', id: eventId, title: '' },
  })
}

/** Withdraws an analyst's vote on an event, or all of the analyst's votes on its bucket. */
export interface EventWithdrawal {
  readonly eventId: string
  readonly analyst: string
  readonly scope: VoteScope
  /** When the analyst said so, microseconds; absent: now. */
  readonly votedMicros?: number | undefined
}

/** @throws Refusal vote_not_found. */
export function withdrawVote(
  deps: ActorDeps,
  event: FoundEvent,
  { eventId, analyst, scope, votedMicros }: EventWithdrawal,
  { by, atMicros }: Attribution,
): void {
  const { settings, store, stats, buckets } = deps
  const bucket = bucketOf(deps, event)
  const { subject, micros: place, isWhole } = placeOf(event, scope)
  const own = ownVote(readVotes(store, settings.id, subject, place), analyst)
  const saidMicros = votedMicros ?? atMicros
  const change = withdraw(deps, subject, { analyst, micros: place, atMicros, saidMicros })
  if (change === null) throw new Refusal('vote_not_found', missingVote(deps, subject, analyst))
  for (const touched of [...change.touched, ...(own === undefined ? [] : [own.eventMicros])])
    checkVoted(deps, subject, touched)
  if (bucket !== null) ballotChanged(buckets, bucket, true)
  auditAnswered(deps, isWhole ? subject : null, event, atMicros)
  countProtected(deps, event, change, atMicros)
  stats.change({ lastFeedbackMicros: atMicros })
  addAuditEntry(store, {
    atMicros,
    by,
    ...consensusEntry(settings, change, bucket, { vote: { before: nameOf(settings.labels, own?.label), after: null } }),
    analyst,
    action: isWhole ? 'votes on bucket withdrawn' : 'vote withdrawn',
    object: { type: 'event', id: eventId, title: '' },
  })
}

/** Takes an analyst's vote on an event back: the earlier one stands again, as it was; without one, none. */
export function takeBackVote(
  deps: ActorDeps,
  event: FoundEvent,
  { eventId, analyst }: Pick<EventWithdrawal, 'eventId' | 'analyst'>,
  { by, atMicros }: Attribution,
): void {
  const { settings, store, stats, buckets } = deps
  const { labels } = settings
  const bucket = bucketOf(deps, event)
  const { subject, micros } = placeOf(event)
  const own = ownVote(readVotes(store, settings.id, subject, micros), analyst)
  const change = restore(deps, subject, { analyst, micros, atMicros })
  checkVoted(deps, subject, micros)
  if (bucket !== null) ballotChanged(buckets, bucket, true)
  auditAnswered(deps, null, event, atMicros)
  countProtected(deps, event, change, atMicros)
  stats.change({ lastFeedbackMicros: atMicros })
  addAuditEntry(store, {
    atMicros,
    by,
    ...consensusEntry(settings, change, bucket, {
      vote: { before: nameOf(labels, own?.label), after: nameOf(labels, own?.earlier?.[0]?.label) },
    }),
    analyst,
    action: 'vote taken back',
    object: { type: 'event', id: eventId, title: '' },
  })
}

/** Votes on an event changed, or on the whole of a bucket. Its audits count anew. */
function auditAnswered(deps: ActorDeps, whole: Uint8Array | null, event: FoundEvent, atMicros: number): void {
  if (whole === null) voted(deps, event.micros, atMicros)
  else votedOnBucket(deps, whole, atMicros)
}

function missingVote({ store, settings }: ActorDeps, subject: Uint8Array, analyst: string): string {
  if (ownVote(readVotes(store, settings.id, subject, WHOLE_BUCKET), analyst) === undefined)
    return 'this analyst has no vote here to withdraw'
  return 'this analyst voted on the whole bucket; withdraw with scope "bucket"'
}

function ownVote(votes: readonly StoredVote[], analyst: string): StoredVote | undefined {
  return votes.find((each) => each.analyst === analyst)
}

export function bucketOf({ store, buckets }: ActorDeps, { header }: FoundEvent): Bucket | null {
  return header.bucketId === null ? null : must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
}

/** Writes whether the event was voted on itself. It may be gone. */
function setVoted({ store, settings, stats }: ActorDeps, micros: number, hasFeedback: boolean): void {
  const event = eventAt(store, settings.id, micros)
  if (event === null || event.header.hasFeedback === hasFeedback) return
  store.put('events', timeKey(settings.id, micros), withHeader(event.record, { ...event.header, hasFeedback }))
  stats.change({ feedbackEvents: stats.row.feedbackEvents + (hasFeedback ? 1 : -1) })
}

/** Writes whether there is still a vote that was given on the event, and what its votes say. */
function checkVoted(deps: ActorDeps, subject: Uint8Array, micros: number): void {
  const { store, settings } = deps
  const isGiven =
    readVotes(store, settings.id, subject, micros).length > 0 ||
    readVotes(store, settings.id, subject, WHOLE_BUCKET).some(({ eventMicros }) => eventMicros === micros)
  setVoted(deps, micros, isGiven)
  settleTruth(deps, micros)
}

/**
 * Moves the votes on an event into the bucket that it is in from now on. Called before the event itself is moved, when
 * it was enriched or is decided again with other decision points: the votes are about this event, wherever it is.
 * Nobody has voted again, so the audit log has no entry. An analyst's later vote on the new bucket stands.
 */
export function moveVotes(deps: ActorDeps, { header, micros }: FoundEvent, to: Bucket, atMicros: number): void {
  const { store, settings, buckets } = deps
  if (header.bucketId === null || Buffer.compare(header.bucketId, to.id) === 0) return
  const from = must(buckets.byId(store, header.bucketId), 'the bucket of a stored event')
  if (!from.hasBallot) return
  const ballot = readBallot(store, settings.id, header.bucketId)
  const given = removeVotes(deps, header.bucketId, micros)
  if (given.length === 0) return
  ballotChanged(buckets, from, readBallot(store, settings.id, header.bucketId) !== null)
  // What was said of the whole bucket is true of this event at least.
  for (const { events: _events, ...one } of given)
    vote(deps, to.id, one, { atMicros: one.atMicros, firstVersion: ballot?.firstVersion })
  if (given.some(({ events }) => events !== undefined)) votedOnBucket(deps, header.bucketId, atMicros)
  ballotChanged(buckets, to, true)
}

/** The bucket's ballot has changed, or was deleted: the bucket's decision and state have to be worked out again. */
export function ballotChanged(buckets: BucketCache, bucket: Bucket, hasBallot: boolean): void {
  if (bucket.hasBallot !== hasBallot) bucket.stored = false
  bucket.hasBallot = hasBallot
  bucket.decision = null
  bucket.state = null
  bucket.standing = null
  buckets.touch(bucket)
}

/** The part of an audit entry that votes and overrides share. */
export function consensusEntry(
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

export function nameOf(labels: readonly Label[], label: number | undefined): string | null {
  return labels[label ?? -1]?.name ?? null
}
