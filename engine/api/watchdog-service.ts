/** Watchdogs: what they look at, and what operators may ask of them. */
import type { Author } from './principal.js'

export type WatchdogType =
  | 'no_data'
  | 'undecided_events'
  | 'job_in_error'
  | 'queue_length'
  | 'disk'
  | 'memory'
  | 'confidence_drift'
  | 'outlier_rate'
  | 'feedback_lag'
  | 'disagreement'

/** Something that can be measured, and from where on it is bad. */
export interface WatchdogCondition {
  readonly name: string
  readonly description: string
  readonly unit: string
  /** Bad is what is over the threshold, or under it. */
  readonly bad: 'above' | 'below'
  readonly threshold: number
  /** `job`: needs one; `any`: of one job, or of all together; `service`: has none. */
  readonly scope: 'job' | 'any' | 'service'
  /** Looks back over so many minutes, where not said otherwise; null: at the moment. */
  readonly windowMinutes: number | null
}

export interface NewWatchdog {
  readonly title: string
  readonly type: WatchdogType
  readonly condition: string
  readonly jobId: number | null
  readonly threshold?: number | undefined
  /** It is good again from here on; the threshold where absent. */
  readonly resolveThreshold?: number | undefined
  readonly windowMinutes?: number | undefined
  /** It fires, and resolves, when things were so for so long. */
  readonly forSeconds?: number | undefined
  /** Integrations that tell when it fires and resolves, by id or title. */
  readonly integrations?: readonly (number | string)[] | undefined
  /** Looked at once in so many seconds. */
  readonly intervalSeconds?: number | undefined
  /** That it fires is told once in so many seconds; 0: each time. */
  readonly throttleSeconds?: number | undefined
  readonly enabled?: boolean | undefined
}

/** `unknown`: there is nothing to measure (no events, no such job any more), or not yet. */
export type WatchdogState = 'ok' | 'firing' | 'unknown' | 'disabled'

export interface WatchdogView
  extends Required<{ [K in keyof Omit<NewWatchdog, 'integrations'>]: Exclude<NewWatchdog[K], undefined> }> {
  readonly id: string
  /** Those that are still there. */
  readonly integrations: readonly { readonly id: number; readonly title: string }[]
  /** Where it is one of its job's monitoring_settings: its name there; null otherwise. */
  readonly monitor: string | null
  readonly state: WatchdogState
  /** Since when it fires, or does not. */
  readonly sinceMicros: number
  /** As it was measured last. */
  readonly value: number | null
  readonly createdMicros: number
}

export interface WatchdogService {
  /** By age; of one type where it is given. */
  list(type?: WatchdogType): WatchdogView[]
  /** @throws Refusal watchdog_not_found. */
  get(id: string): WatchdogView
  /** What the type can look at. */
  conditions(type: WatchdogType): readonly WatchdogCondition[]
  /** @throws Refusal invalid_body, job_not_found, limit_exceeded. */
  create(watchdog: NewWatchdog, by: Author): WatchdogView
  /** @throws Refusal watchdog_not_found, watchdog_of_job. */
  enable(id: string, enabled: boolean, by: Author): WatchdogView
  /** @throws Refusal watchdog_not_found, watchdog_of_job. */
  remove(id: string, by: Author): void
}
