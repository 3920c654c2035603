/** Questions about metrics as plain data: what a reader thread gets, and what it gives back. */
import type { JobSettings } from '../job/job.js'
import type { Period } from '../metrics/period.js'
import type { JobMetrics } from '../metrics/metrics-service.js'
import type { Filter } from '../query/filter.js'
import type { ModelFigures } from './model-figures.js'
import type { InternalJob, InternalTask, InternalResult } from './internal-task.js'
import type { QueriedJob } from './query-task.js'
import type { Refused, TaskFrame } from './reader-tasks.js'

/** What metrics know of a job. */
export interface MetricsJob extends QueriedJob, Pick<JobSettings, 'category' | 'createdAt'> {
  /** Microseconds, or null where none was set. */
  readonly productionMicros: number | null
}

/** Which events are counted; what is null was not said. */
export interface ScopeTask {
  readonly fromMicros: number | null
  readonly toMicros: number | null
  readonly filters: readonly Filter[]
}

/** Nothing is left out: what the actors have counted is the answer. */
export function isWhole({ fromMicros, toMicros, filters }: ScopeTask, { productionMicros }: MetricsJob): boolean {
  return fromMicros === null && productionMicros === null && toMicros === null && filters.length === 0
}

export interface PlatformJob {
  readonly jobId: number
  readonly shard: number
  readonly intervals: readonly Period[]
}

export type MetricsAsked =
  | { readonly kind: 'job'; readonly job: MetricsJob; readonly scope: ScopeTask; readonly minutesPerAlert: number }
  | { readonly kind: 'model'; readonly job: MetricsJob; readonly version: number }
  | { readonly kind: 'internal'; readonly jobs: readonly InternalJob[]; readonly task: InternalTask }
  | { readonly kind: 'eventCounts'; readonly jobs: readonly PlatformJob[] }

/** What each kind of work gives back. */
export interface MetricsAnswers {
  job: JobMetrics
  model: ModelFigures
  internal: InternalResult
  /** By job, events in each interval. */
  eventCounts: readonly (readonly number[])[]
}

export interface MetricsTask extends TaskFrame {
  readonly asked: MetricsAsked
}

export type MetricsResult = { readonly answer: MetricsAnswers[keyof MetricsAnswers] } | Refused
