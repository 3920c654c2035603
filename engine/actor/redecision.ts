/**
 * Deciding a stored event again: by the job's settings, model and knowledge base of now.
 *
 * Owns: what of the event, its bucket and the counters that changes. Leaves out: which events (job-actor.ts, reprocess-tasks.ts),
 * the model's answer (job-model.ts).
 *
 * 1. The decision that stood is kept beside the new one. An event that was waiting has had none.
 * 2. The event goes into the bucket that it would be in if it came in now; its old one keeps its votes. Only an event
 *    that has votes of its own (it came in when the job had no buckets) stays by itself: they are about it alone.
 * 3. The watch over the model sees each event once: when it is decided first.
 * 4. `decidedSinceTraining` and its like count each event's latest decision once, however often it is decided again.
 */
import { must } from '../assert.js'
import { lacksPoints } from '../domain/event/decision-points.js'
import { hasBuckets, type JobSettings } from '../domain/job/job.js'
import { noDecision } from '../domain/decide/decision.js'
import type { BodyCodec } from '../store/body-codec.js'
import { decodeContent, withHeader, withPrevious, type RecordHeader } from '../store/event-record.js'
import { timeKey, timeValue } from '../store/tables.js'
import type { Arrivals } from './arrival.js'
import { readBallot } from './votes/ballots.js'
import type { Bucket, BucketCache } from './buckets/bucket-cache.js'
import type { CauseStage } from './cause/cause-stage.js'
import { noteChange } from './decision-changes.js'
import type { FoundEvent } from './event-table.js'
import type { JobModel } from './job-model.js'
import type { JobStats } from './job-stats.js'
import type { TurnStore } from './turn-store.js'

/** What an actor has at hand for its stages. */
export interface ActorDeps {
  readonly store: TurnStore
  readonly codec: BodyCodec
  readonly settings: JobSettings
  readonly stats: JobStats
  readonly arrivals: Arrivals
  readonly buckets: BucketCache
  readonly model: JobModel
  /** Where the job clusters its events. */
  readonly cause: CauseStage | null
}

/**
 * Decides the event again, at `atMicros`. True where its label is another one than before. One that waits for look-ups has them
 * behind it: only enrichment-results.ts brings such a one here.
 */
export function decideAgain(deps: ActorDeps, event: FoundEvent, atMicros: number): boolean {
  const { store, settings, stats, model } = deps
  const { header, micros, record } = event
  const jobId = settings.id
  const values = deps.arrivals.points.valuesOf(deps.codec.decode(decodeContent(record).body))
  const hasOwnVotes = header.bucketId === null && readBallot(store, jobId, timeValue(micros)) !== null
  const bucket = hasBuckets(settings.category) && !hasOwnVotes ? deps.buckets.of(store, values) : null
  const bucketId = bucket === null ? null : bucket.id
  const lacks = deps.cause === null && lacksPoints(values)
  const ownSubject = hasOwnVotes ? timeValue(micros) : null
  const decision =
    deps.cause !== null
      ? deps.cause.again(event, atMicros, ownSubject)
      : lacks
        ? noDecision
        : model.decide(store, values, bucket, stats.row, { ownSubject, again: !header.pending })
  const enrichments = header.enrichments === 'awaited' ? 'stored' : header.enrichments
  const decided: RecordHeader = { ...header, ...decision, pending: false, lacksPoints: lacks, bucketId, enrichments }
  if (header.pending) {
    store.delete(waitingMark(header), timeKey(jobId, micros))
    stats.change({ pending: stats.row.pending - 1 })
    store.put('events', timeKey(jobId, micros), withHeader(record, decided))
  } else {
    stats.uncountDecision(header)
    store.put(
      'events',
      timeKey(jobId, micros),
      withPrevious(record, decided, { ...header, reprocessedMicros: atMicros }),
    )
  }
  if (!isSame(header.bucketId, bucketId)) move(deps, header, bucket, micros, decision.label)
  else if (bucket !== null) {
    deps.buckets.countDecision(bucket, header.label, -1)
    deps.buckets.countDecision(bucket, decision.label, 1)
  }
  stats.countDecision(decision)
  noteChange(store, settings, atMicros, micros, header)
  return decision.label !== header.label
}

/** The table that an undecided event has its mark in: it waits for look-ups, or for its job to start. */
export function waitingMark({ enrichments }: Pick<RecordHeader, 'enrichments'>): 'awaited' | 'pending' {
  return enrichments === 'awaited' ? 'awaited' : 'pending'
}

/** Out of the bucket it was in, where it was in one, and into another. */
function move(
  { store, stats, buckets }: ActorDeps,
  from: RecordHeader,
  to: Bucket | null,
  micros: number,
  label: number,
): void {
  let { buckets: count } = stats.row
  if (from.bucketId !== null) {
    const left = must(buckets.byId(store, from.bucketId), 'the bucket of a stored event')
    leave(buckets, left, from.label)
    if (left.events === 0) count--
  }
  if (to !== null) {
    if (to.events === 0) count++
    enter(buckets, to, micros, label)
  }
  stats.change({ buckets: count })
}

/** One more event of the bucket, of which it may have later ones, with that label as its decision, or -1. */
function enter(buckets: BucketCache, bucket: Bucket, micros: number, label: number): void {
  if (!bucket.stored && bucket.events === 0) bucket.firstMicros = micros
  bucket.events++
  bucket.lastMicros = Math.max(bucket.lastMicros, micros)
  buckets.touch(bucket)
  buckets.countDecision(bucket, label, 1)
}

/** One event less. */
export function leave(buckets: BucketCache, bucket: Bucket, label: number): void {
  bucket.events--
  buckets.touch(bucket)
  buckets.countDecision(bucket, label, -1)
}

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0
}
