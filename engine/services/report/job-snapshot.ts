/**
 * A job in a snapshot: its store, counters and ballots, and the period and filters of a metrics query on it.
 *
 * Owns: what every kind of metrics needs before it counts. Leaves out: counting (job-metrics.ts, event-walk.ts,
 * vote-walk.ts).
 */
import { allOf, type Condition } from '../../domain/query/condition.js'
import type { FieldSet } from '../../domain/query/field.js'
import { compileFilters, type Filter } from '../../domain/query/filter.js'
import type { Label } from '../../domain/job/job.js'
import type { Environment } from '../../store/environment.js'
import { ScoredAnswers } from '../../domain/learn/scored-answers.js'
import { decodeModel, type StatsRow } from '../../store/rows.js'
import { jobRange, modelKey, timeOfKey } from '../../store/tables.js'
import { readStats } from '../../actor/job-stats.js'
import type { QueryStore } from '../query/event-scan.js'
import type { TaskClock } from '../readers/task-frame.js'
import type { BallotCache, JobBallots } from './job-ballots.js'
import type { MetricsJob, ScopeTask } from './metrics-query.js'

/** What a metrics query runs on. */
export interface MetricsContext {
  readonly dataDir: string
  readonly serviceNames: readonly string[]
  readonly nowMicros: number
  readonly stores: (shard: number) => QueryStore
  readonly clock: TaskClock
  readonly ballotCache: BallotCache
}

/** One job in a snapshot. */
export interface JobSnapshot {
  readonly job: MetricsJob
  readonly store: QueryStore
  readonly stats: StatsRow
  readonly ballots: JobBallots
}

export function snapshotOf({ dataDir, stores, ballotCache }: MetricsContext, job: MetricsJob): JobSnapshot {
  const store = stores(job.shard)
  const stats = readStats(store.environment, job.id, job.labels.length)
  return { job, store, stats, ballots: ballotCache.of(`${dataDir}\0${job.id}`, store.environment, job.id, stats) }
}

/** The answers of the model in use to events that were held out from its training; null without a model. */
export function heldOutAnswers({ job, store, stats }: JobSnapshot): ScoredAnswers | null {
  const stored =
    stats.modelVersion === 0 ? undefined : store.environment.get('models', modelKey(job.id, stats.modelVersion))
  if (stored === undefined) return null
  const { scored } = decodeModel(stored).row.summary
  return scored === null ? null : ScoredAnswers.of(job.labels.length, scored)
}

/** Ingest time of the job's first event, microseconds; null without events. */
export function firstEventMicros(environment: Environment, jobId: number): number | null {
  for (const { key } of environment.range('events', { ...jobRange(jobId), limit: 1 })) return timeOfKey(key)
  return null
}

/** What the filters ask of an event. @throws Refusal invalid_body, query_too_large. */
export function filterCondition(
  filters: readonly Filter[],
  fields: FieldSet,
  { nowMicros, labels }: { readonly nowMicros: number; readonly labels: readonly Label[] },
): Condition {
  return compileFilters(filters, fields, { nowMicros, offsetMinutes: 0, labels: [labels] })
}

/** The condition, and ingestion from `from` (included) to `to` (not included), microseconds. Null is no bound. */
export function withinPeriod(
  condition: Condition,
  fields: FieldSet,
  from: number | null,
  to: number | null,
): Condition {
  if (from === null && to === null) return condition
  return allOf([
    condition,
    {
      kind: 'ingested',
      field: fields.field('timestamp_inference'),
      first: from ?? Number.NEGATIVE_INFINITY,
      last: to === null ? Number.POSITIVE_INFINITY : to - 1,
    },
  ])
}

/**
 * A time after all events and votes, microseconds. Ingest times always grow, so they may be ahead of the clock for a
 * while.
 */
export function nowOf({ nowMicros }: MetricsContext, { stats }: JobSnapshot): number {
  return Math.max(nowMicros, (stats.lastEventMicros ?? 0) + 1, (stats.lastFeedbackMicros ?? 0) + 1)
}

/**
 * The start of the period: as given, else the production date, else open. `shown` replaces an open start by the time of
 * the first event, or of the job's creation.
 */
export function startOf(
  scope: ScopeTask,
  { job, store }: JobSnapshot,
): { readonly from: number | null; readonly shown: number } {
  const from = scope.fromMicros ?? job.productionMicros
  return { from, shown: from ?? firstEventMicros(store.environment, job.id) ?? Date.parse(job.createdAt) * 1000 }
}
