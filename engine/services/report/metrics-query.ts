/** Questions about metrics as plain data: what a reader thread gets, and what it gives back. */
import type { JobSettings } from '../../domain/job/job.js'
import type { Interval, Period } from '../../domain/metrics/period.js'
import type { JobMetrics } from '../../api/metrics-service.js'
import type { Filter } from '../../domain/query/filter.js'
import type { QueriedJob } from '../query/query-task.js'
import type { ConfidenceFigures } from '../../domain/metrics/confidence.js'
import type { PointUsefulness } from '../../domain/metrics/point-usefulness.js'
import type { ModelRow } from '../../store/rows.js'
import type { Refused, TaskFrame } from '../readers/task-frame.js'

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

/** What internal metrics are asked for. */
export interface InternalTask {
  readonly scope: ScopeTask
  /** Null: the period is one. */
  readonly interval: Interval | null
  /** The key of this answer's pseudonyms; null shows the names. */
  readonly pointsKey: Uint8Array | null
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

/** Figures on one part of the subjects. */
export interface PartFigures {
  readonly events: Counts
  readonly subjects: Counts
  readonly confidence: ConfidenceFigures
  /** Mean natural logarithm of one over the probability of the right label; null without events. */
  readonly logLoss: number | null
}

/** Plain JSON: stored as it is. Lists go by label index. */
export interface ModelFigures {
  readonly newData: PartFigures
  readonly knowledgeBase: PartFigures
  readonly known: { readonly events: readonly number[]; readonly subjects: readonly number[] }
  readonly points: readonly PointUsefulness[]
  readonly model: Pick<ModelRow, 'trainedMicros' | 'summary'>
  /** What the figures are of: they hold while the job's counters say the same. */
  readonly basis: string
}

export type MetricsQuery =
  | { readonly kind: 'job'; readonly job: MetricsJob; readonly scope: ScopeTask; readonly minutesPerAlert: number }
  | { readonly kind: 'model'; readonly job: MetricsJob; readonly version: number }
  | { readonly kind: 'internal'; readonly jobs: readonly MetricsJob[]; readonly task: InternalTask }
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
  readonly query: MetricsQuery
}

export type MetricsResult = { readonly answer: MetricsAnswers[keyof MetricsAnswers] } | Refused
