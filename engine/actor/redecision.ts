/**
 * Deciding a stored event again, by the job's present settings, model and knowledge base.
 *
 * Owns: what that changes on the event, its buckets and the counters. Leaves out: which events (stored-events.ts,
 * reprocess-tasks.ts, enrichment-results.ts), the decision (job-model.ts, cause-stage.ts).
 *
 * 1. The decision that stood is kept beside the new one. An event that was waiting had none.
 * 2. The event moves to the bucket that it would be in if it arrived now, with the votes on it. An event with votes of
 *    its own, from when the job had no buckets, stays without a bucket.
 * 3. The trust watch sees each event once, when it is first decided.
 * 4. What was settled with another label goes back to people. Nothing is settled that was decided before.
 * 5. Outputs are told of each change, but not when an event that had no decision gets one because there is a model at
 *    last: nobody waits for these, and there may be many.
 * 6. `decidedSinceTraining` and similar counters count each event's latest decision, once.
 */
import { must } from '../assert.js'
import { autonomyAgain } from '../domain/autonomy/passage.js'
import { lacksPoints } from '../domain/event/decision-points.js'
import type { PointValues } from '../domain/event/point-value.js'
import { hasBuckets } from '../domain/job/job.js'
import { noBasis } from '../domain/decide/decision-basis.js'
import { noDecision } from '../domain/decide/decision.js'
import { decodeContent, withHeader, withPrevious, type RecordHeader } from '../store/event-record.js'
import { timeKey, timeValue } from '../store/tables.js'
import type { ActorDeps } from './actor-deps.js'
import { auditMoved, passWaiting } from './autonomy/audit-answers.js'
import type { BucketCache } from './buckets/bucket-cache.js'
import type { Bucket } from './buckets/bucket.js'
import { noteChange } from './decision-changes.js'
import type { FoundEvent } from './event-table.js'
import { readBallot } from './votes/ballots.js'
import { settleTruth } from './votes/first-answers.js'
import { moveVotes } from './votes/voting.js'

/**
 * Decides the event again, at `atMicros`. True where its label has changed. An event that is `awaited` counts as
 * enriched from now on: only enrichment-results.ts calls this for one.
 */
export function decideAgain(deps: ActorDeps, event: FoundEvent, atMicros: number): boolean {
  return decideWith(deps, event, { atMicros, values: valuesOf(deps, event), isTold: true })
}

/** The values of a stored event at the present decision points. */
function valuesOf({ arrivals, codec }: ActorDeps, { record }: FoundEvent): PointValues {
  return arrivals.points.valuesOf(codec.decode(decodeContent(record).body))
}

/**
 * Decides an event that never had a decision; outputs are not told. False where it has one by now, has no value at any
 * decision point, or there is no model for these: then nothing changes.
 */
export function decideAtLast(deps: ActorDeps, event: FoundEvent, atMicros: number): boolean {
  if (event.header.label >= 0 || event.header.pending || !deps.model.isTrained) return false
  const values = valuesOf(deps, event)
  if (deps.cause === null && lacksPoints(values)) return false
  return decideWith(deps, event, { atMicros, values, isTold: false })
}

interface Redeciding {
  readonly atMicros: number
  readonly values: PointValues
  /** Output steps are told of the change. */
  readonly isTold: boolean
}

function decideWith(deps: ActorDeps, event: FoundEvent, { atMicros, values, isTold }: Redeciding): boolean {
  const { store, settings, stats, model } = deps
  const { header, micros, record } = event
  const jobId = settings.id
  const hasOwnVotes = header.bucketId === null && readBallot(store, jobId, timeValue(micros)) !== null
  const bucket = hasBuckets(settings.category) && !hasOwnVotes ? deps.buckets.of(store, values) : null
  const bucketId = bucket === null ? null : bucket.id
  if (bucket !== null && header.hasFeedback) moveVotes(deps, event, bucket, atMicros)
  const lacks = deps.cause === null && lacksPoints(values)
  const ownSubject = hasOwnVotes ? timeValue(micros) : null
  const decision =
    deps.cause !== null
      ? deps.cause.again(event, atMicros, ownSubject)
      : lacks
        ? noDecision
        : model.decide(() => values, bucket, { ownSubject, again: !header.pending })
  if (header.pending && !header.hasFeedback && deps.cause === null)
    deps.trial.see(micros, decision, bucket, () => values)
  const enrichments = header.enrichments === 'awaited' ? 'stored' : header.enrichments
  const autonomy = header.pending
    ? passWaiting(deps, event, { decision, bucket, atMicros })
    : autonomyAgain(header, decision.label)
  const basis = decision.label < 0 ? noBasis : model.basis
  const now = { basis, pending: false, lacksPoints: lacks, bucketId, enrichments, autonomy }
  const decided: RecordHeader = { ...header, ...decision, ...now }
  if (header.pending) {
    store.delete(waitingTable(header), timeKey(jobId, micros))
    stats.change({ pending: stats.row.pending - 1 })
    store.put('events', timeKey(jobId, micros), withHeader(record, decided))
  } else {
    stats.uncountDecision(header, micros)
    const withBoth = withPrevious(record, decided, { ...header, reprocessedMicros: atMicros })
    store.put('events', timeKey(jobId, micros), withBoth)
  }
  if (header.autonomy === 'audit' && !isSame(header.bucketId, bucketId))
    auditMoved(deps, micros, bucketId ?? timeValue(micros), atMicros)
  if (!isSame(header.bucketId, bucketId)) move(deps, { micros, header }, bucket, decision.label)
  else if (bucket !== null) {
    deps.buckets.countDecision(bucket, header.label, -1)
    deps.buckets.countDecision(bucket, decision.label, 1)
  }
  if (header.hasFeedback && !isSame(header.bucketId, bucketId)) settleTruth(deps, micros)
  stats.countDecision(decision, micros)
  noteChange(store, settings, { changeMicros: atMicros, eventMicros: micros, before: header, isTold })
  return decision.label !== header.label
}

/** The table in which an undecided event is entered: it waits for enrichment, or for its job to start. */
export function waitingTable({ enrichments }: Pick<RecordHeader, 'enrichments'>): 'awaited' | 'pending' {
  return enrichments === 'awaited' ? 'awaited' : 'pending'
}

/** Moves the event from its bucket, if it has one, to the bucket `to`; `label` is its new decision. */
function move(
  { store, stats, buckets }: ActorDeps,
  { micros, header: from }: Pick<FoundEvent, 'micros' | 'header'>,
  to: Bucket | null,
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

/** Adds a stored event with this decision (-1 for none) to the bucket, which may have later events. */
function enter(buckets: BucketCache, bucket: Bucket, micros: number, label: number): void {
  if (!bucket.stored && bucket.events === 0) bucket.firstMicros = micros
  bucket.events++
  bucket.lastMicros = Math.max(bucket.lastMicros, micros)
  buckets.touch(bucket)
  buckets.countDecision(bucket, label, 1)
}

/** Takes an event with this decision (-1 for none) out of the bucket. */
export function leave(buckets: BucketCache, bucket: Bucket, label: number): void {
  bucket.events--
  buckets.touch(bucket)
  buckets.countDecision(bucket, label, -1)
}

function isSame(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : Buffer.compare(one, other) === 0
}
