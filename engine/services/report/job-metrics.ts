/**
 * The metrics of a job: from its buckets' counters where every event counts, else event by event.
 *
 * Owns: the choice between the two ways, and the ten largest subjects with a changed consensus. Leaves out: what counts
 * for what (domain/metrics/).
 *
 * 1. Both ways give the same figures (test/simulation).
 */
import { isoMicros } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import { isLabel } from '../../domain/learn/consensus.js'
import { agreementWithVotes } from '../../domain/metrics/agreement-with-votes.js'
import { ConfusionMatrix } from '../../domain/metrics/confusion.js'
import { EventTally } from '../../domain/metrics/event-tally.js'
import { Largest } from '../../domain/metrics/largest.js'
import { PrequentialTally } from '../../domain/metrics/prequential.js'
import { minutesSaved, overallOf } from '../../domain/metrics/quality.js'
import { FieldSet } from '../../domain/query/field.js'
import type { ChangedConsensus, JobMetrics } from '../../api/metrics-service.js'
import type { Environment } from '../../store/environment.js'
import { clientIdOf, decodeHeader } from '../../store/event-record.js'
import type { StoredVote } from '../../store/ballot-row.js'
import type { CountRow } from '../../store/bucket-row.js'
import { timeKey, timeOfValue } from '../../store/tables.js'
import { BucketCounts } from '../../actor/buckets/bucket-counts.js'
import { LOW_CONFIDENCE } from '../../actor/job-stats.js'
import { modelIdOf } from '../../actor/model-id.js'
import { firstAnswerOf, firstAnswers } from '../../actor/votes/first-answers.js'
import { votesOn } from '../../actor/votes/vote-rows.js'
import { EventScan } from '../query/event-scan.js'
import { subjectKey, type BallotSubject } from './job-ballots.js'
import {
  filterCondition,
  heldOutAnswers,
  snapshotOf,
  nowOf,
  startOf,
  withinPeriod,
  type JobSnapshot,
  type MetricsContext,
} from './job-snapshot.js'
import { isWhole, type MetricsJob, type ScopeTask } from './metrics-query.js'

/** Subjects that an answer names. */
const TOP = 10

/** A subject whose consensus has changed since the training. */
interface Changed {
  /** One character a byte. */
  readonly id: string
  readonly size: number
  /** Ingest time of its latest event that counts, microseconds. */
  readonly lastMicros: number
}

interface Counts {
  readonly matrix: ConfusionMatrix
  readonly prequential: PrequentialTally
  readonly events: number
  readonly withConsensus: number
  readonly inKnowledgeBase: number
  readonly changedEvents: number
  readonly changed: readonly Changed[]
}

/** @throws Refusal invalid_body, query_too_large, query_timeout. */
export function runJobMetrics(
  context: MetricsContext,
  job: MetricsJob,
  scope: ScopeTask,
  minutesPerAlert: number,
): JobMetrics {
  const snapshot = snapshotOf(context, job)
  const { from, shown } = startOf(scope, snapshot)
  const counts = isWhole(scope, job)
    ? countByBuckets(snapshot)
    : countByEvents(context, snapshot, { ...scope, fromMicros: from })
  const { stats } = snapshot
  const labels = job.labels.map(({ name }) => name)
  return {
    ...overallOf(counts.prequential.newBuckets, heldOutAnswers(snapshot), labels),
    quality: counts.prequential.report(labels),
    agreementWithVotes: agreementWithVotes(counts.matrix),
    startTime: isoMicros(shown),
    endTime: isoMicros(scope.toMicros ?? nowOf(context, snapshot)),
    timeSavedMinutes: minutesSaved(counts.matrix.total, counts.prequential.all(), minutesPerAlert),
    activeModelId: stats.modelVersion === 0 ? null : modelIdOf(job.id, stats.modelVersion),
    allModelIds: stats.modelVersions.map((version) => modelIdOf(job.id, version)),
    totalEvents: counts.events,
    totalEventsInKnowledgeBase: counts.inKnowledgeBase,
    totalEventsWithConsensus: counts.withConsensus,
    changedConsensusAfterTraining: changedOf(snapshot, counts),
    productionDate: job.productionMicros === null ? null : isoMicros(job.productionMicros),
  }
}

/** From the counters that the actor keeps for each bucket. Events without votes are only in the job's own counter. */
export function countByBuckets({ job, store: { environment }, stats, ballots }: JobSnapshot): Counts {
  const matrix = new ConfusionMatrix(job.labels.length)
  const changed = new Largest<Changed>(TOP)
  let [withConsensus, inKnowledgeBase, changedEvents] = [0, 0, 0]
  const counts = new BucketCounts(environment, job.id)
  for (const subject of ballots.subjects) {
    const { consensus, state } = subject.standing
    const count = countsOf(environment, counts, job.id, subject)
    if (isLabel(consensus)) {
      withConsensus += count.events
      count.decided.forEach((events, label) => matrix.add(consensus, label, events))
    }
    if (state === 'in_knowledge_base' || state === 'retrain') inKnowledgeBase += count.events
    if (state !== 'retrain' || count.events === 0) continue
    changedEvents += count.events
    changed.add({ id: subject.id, size: count.events, lastMicros: count.lastMicros })
  }
  const prequential = new PrequentialTally(job.labels.length)
  for (const first of firstAnswers(environment, job.id)) prequential.add(first)
  const { events } = stats
  return { matrix, prequential, events, withConsensus, inKnowledgeBase, changedEvents, changed: changed.sorted() }
}

function countsOf(
  environment: Environment,
  counts: BucketCounts,
  jobId: number,
  { id, number }: BallotSubject,
): CountRow {
  if (number !== null) return counts.of(id, number)
  const micros = timeOfValue(Buffer.from(id, 'latin1'))
  const record = environment.get('events', timeKey(jobId, micros))
  if (record === undefined) return { events: 0, decided: [], lastMicros: micros }
  const { label } = decodeHeader(record)
  const decided: number[] = []
  if (label >= 0) decided[label] = 1
  return { events: 1, decided, lastMicros: micros }
}

/** Event by event. @throws Refusal query_too_large, query_timeout. */
export function countByEvents(context: MetricsContext, snapshot: JobSnapshot, scope: ScopeTask): Counts {
  const { job, ballots } = snapshot
  const fields = new FieldSet(context.serviceNames)
  const condition = withinPeriod(
    filterCondition(scope.filters, fields, { nowMicros: context.nowMicros, labels: job.labels }),
    fields,
    scope.fromMicros,
    scope.toMicros,
  )
  const tally = new EventTally(job.labels.length, LOW_CONFIDENCE)
  const changed = new Map<string, Changed>()
  const scan = new EventScan(context.stores, context.clock)
  scan.walk(job, condition, fields, (_, __, micros, record) => {
    const header = decodeHeader(record)
    const standing = ballots.standingOf(header, micros)
    tally.add(header, standing)
    const first = firstAnswerOf(snapshot.store.environment, job.id, { header, micros })
    if (first !== null) tally.addFirstAnswer(first)
    if (standing.state !== 'retrain') return true
    const id = subjectKey(header, micros)
    const before = changed.get(id)
    changed.set(id, { id, size: (before?.size ?? 0) + 1, lastMicros: Math.max(before?.lastMicros ?? 0, micros) })
    return true
  })
  if (scan.timedOut) {
    throw new Refusal(
      'query_timeout',
      `the events could not be counted within ${limits.metricsMsMax} ms; narrow the period or the filters`,
    )
  }
  const largest = new Largest<Changed>(TOP)
  for (const one of changed.values()) largest.add(one)
  return {
    matrix: tally.all,
    prequential: tally.prequential,
    events: tally.events,
    withConsensus: tally.withConsensus,
    inKnowledgeBase: tally.inKnowledgeBase,
    changedEvents: tally.changed,
    changed: largest.sorted(),
  }
}

function changedOf({ job, store: { environment } }: JobSnapshot, { changedEvents, changed }: Counts): ChangedConsensus {
  const topEventsIds: string[] = []
  const topBucketsIds: string[] = []
  for (const { id, lastMicros } of changed) {
    const subject = Buffer.from(id, 'latin1')
    if (subject.length === BUCKET_ID_BYTES) topBucketsIds.push(subject.toString('hex'))
    const eventId = eventIdAt(environment, job.id, lastMicros) ?? votedEventId(environment, job.id, subject)
    if (eventId !== null) topEventsIds.push(eventId)
  }
  return { totalEvents: changedEvents, topEventsIds, topBucketsIds }
}

/** An event that was voted on: it stands for the bucket's latest event where that was replaced. */
function votedEventId(environment: Environment, jobId: number, subject: Buffer): string | null {
  for (const { votes } of votesOn(environment, jobId, subject)) {
    const id = eventIdAt(environment, jobId, (votes[0] as StoredVote).eventMicros)
    if (id !== null) return id
  }
  return null
}

function eventIdAt(environment: Environment, jobId: number, micros: number): string | null {
  const record = environment.get('events', timeKey(jobId, micros))
  return record === undefined ? null : (clientIdOf(Buffer.from(record)) ?? eventIdOf(micros))
}
