/** The question of internal metrics as plain data, and what a thread answers to it. */
import type { Interval } from '../metrics/period.js'
import type { MetricsJob, ScopeTask } from './metrics-task.js'

export type InternalJob = MetricsJob

export interface InternalTask {
  readonly scope: ScopeTask
  /** Null: the period is one. */
  readonly interval: Interval | null
  /** The key of this answer's pseudonyms; null shows the names. */
  readonly pointsKey: Uint8Array | null
  readonly namesKey: Uint8Array | null
  readonly minutesPerAlert: number
}

/** Documents, by job. */
export interface InternalResult {
  readonly warnings: readonly string[]
  readonly jobs: ReadonlyMap<number, { readonly jobMetrics: unknown; readonly feedbackMetrics: unknown }>
  readonly overallFeedback: unknown
}
