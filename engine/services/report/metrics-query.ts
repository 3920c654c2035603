/** Metrics queries as plain data: what a reader thread gets, and what it gives back. */
import type { JobSettings } from '../../domain/job/job.js'
import type { Interval, Period } from '../../domain/metrics/period.js'
import type { Filter } from '../../domain/query/filter.js'
import type { ScoredCounts } from '../../domain/learn/scored-answers.js'
import type { PointUsefulness } from '../../domain/metrics/point-usefulness.js'
import type { JobMetrics } from '../../api/metrics-service.js'
import type { ModelRow } from '../../store/rows.js'
import type { QueriedJob } from '../query/query-protocol.js'
import { queriedJob } from '../query/selected-jobs.js'
import type { RefusedTask, TaskFrame } from '../readers/task-frame.js'

/** What a metrics query says about a job. */
export interface MetricsJob extends QueriedJob, Pick<JobSettings, 'category' | 'createdAt'> {
  /** When the job went into production, microseconds; null where no date was set. */
  readonly productionMicros: number | null
}

export function metricsJobOf(job: JobSettings, productionMicros: number | null): MetricsJob {
  return { ...queriedJob(job), createdAt: job.createdAt, productionMicros }
}

/** Which events are counted: from `fromMicros` (included) to `toMicros` (not included). Null is no bound. */
export interface ScopeTask {
  readonly fromMicros: number | null
  readonly toMicros: number | null
  readonly filters: readonly Filter[]
}

/** True where no event is left out: then the counters of the buckets are the answer. */
export function isWhole({ fromMicros, toMicros, filters }: ScopeTask, { productionMicros }: MetricsJob): boolean {
  return fromMicros === null && productionMicros === null && toMicros === null && filters.length === 0
}

export interface PlatformJob {
  readonly jobId: number
  readonly shard: number
  readonly intervals: readonly Period[]
}

/** What internal metrics are computed for. */
export interface InternalTask {
  readonly scope: ScopeTask
  /** Null: the period is not divided. */
  readonly interval: Interval | null
  /** The key of this answer's pseudonyms for decision points; null shows their names. */
  readonly pointsKey: Uint8Array | null
  /** The same for analysts. */
  readonly namesKey: Uint8Array | null
  readonly minutesPerAlert: number
}

/** The documents of internal metrics, by job. */
export interface InternalResult {
  readonly warnings: readonly string[]
  readonly jobs: ReadonlyMap<number, { readonly jobMetrics: unknown; readonly feedbackMetrics: unknown }>
  readonly overallFeedback: unknown
}

type Counts = readonly (readonly number[])[]

/** Figures about one part of the subjects. Rows and columns go by label index. */
export interface PartFigures {
  readonly events: Counts
  readonly subjects: Counts
  /** Mean of −ln(probability of the right label); null without events. */
  readonly logLoss: number | null
}

/** Plain JSON, stored unchanged. Lists go by label index. */
export interface ModelFigures {
  readonly newData: PartFigures
  readonly knowledgeBase: PartFigures
  readonly known: { readonly events: readonly number[]; readonly subjects: readonly number[] }
  /** The first answers that the model gave, by part (prequential.ts). */
  readonly firstAnswers: { readonly newBuckets: ScoredCounts; readonly knownBuckets: ScoredCounts }
  readonly points: readonly PointUsefulness[]
  readonly model: Pick<ModelRow, 'trainedMicros' | 'summary'>
  /** The counters that the figures were computed from (`basisOf`): they hold while these are unchanged. */
  readonly basis: string
}

/** What is stored of one job. */
export interface StoredOfJob {
  /** Events in each interval. */
  readonly counts: readonly number[]
  readonly bytes: number
}

export type MetricsQuery =
  | { readonly kind: 'job'; readonly job: MetricsJob; readonly scope: ScopeTask; readonly minutesPerAlert: number }
  | { readonly kind: 'model'; readonly job: MetricsJob; readonly version: number }
  | { readonly kind: 'internal'; readonly jobs: readonly MetricsJob[]; readonly task: InternalTask }
  | { readonly kind: 'platform'; readonly jobs: readonly PlatformJob[] }

/** The answer to each kind of query. */
export interface MetricsAnswers {
  job: JobMetrics
  model: ModelFigures
  internal: InternalResult
  /** By job. */
  platform: readonly StoredOfJob[]
}

export interface MetricsTask extends TaskFrame {
  readonly query: MetricsQuery
}

export type MetricsResult = { readonly answer: MetricsAnswers[keyof MetricsAnswers] } | RefusedTask
