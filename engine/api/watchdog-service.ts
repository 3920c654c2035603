/** The contract of watchdogs: what they measure, and what operators may do with them. */
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
  | 'clock'

/** Something that can be measured, and the threshold from which it is bad. */
export interface WatchdogCondition {
  readonly name: string
  readonly description: string
  readonly unit: string
  /** Values on this side of the threshold are bad. */
  readonly bad: 'above' | 'below'
  readonly threshold: number
  /** `job`: needs a job; `any`: measures one job, or all together; `service`: takes no job. */
  readonly scope: 'job' | 'any' | 'service'
  /** Default length of the measured period in minutes; null: it measures the current state. */
  readonly windowMinutes: number | null
}

export interface NewWatchdog {
  readonly title: string
  readonly type: WatchdogType
  readonly condition: string
  readonly jobId: number | null
  readonly threshold?: number | undefined
  /** The value from which it is good again; the threshold where absent. */
  readonly resolveThreshold?: number | undefined
  readonly windowMinutes?: number | undefined
  /** It fires, or resolves, once the condition has held this long. */
  readonly forSeconds?: number | undefined
  /** Integrations that send a message when it fires or resolves, by id or title. */
  readonly integrations?: readonly (number | string)[] | undefined
  /** Seconds between two measurements. */
  readonly intervalSeconds?: number | undefined
  /** At most one message about its firing in this many seconds; what is held back is told then. 0: every one. */
  readonly throttleSeconds?: number | undefined
  /** A watchdog that still fires is told of again after this many seconds; 0: it is told of once. */
  readonly reminderSeconds?: number | undefined
  /** It is checked in working hours only, and minutes that it counts are those of working hours. */
  readonly workingHoursOnly?: boolean | undefined
  readonly enabled?: boolean | undefined
}

/** `unknown`: there is nothing to measure yet, or nothing any more (no events, a deleted job). */
export type WatchdogState = 'ok' | 'firing' | 'unknown' | 'disabled'

export interface WatchdogView
  extends Required<{ [K in keyof Omit<NewWatchdog, 'integrations'>]: Exclude<NewWatchdog[K], undefined> }> {
  readonly id: string
  /** Those that still exist. */
  readonly integrations: readonly { readonly id: number; readonly title: string }[]
  /** Its name in its job's monitoring_settings; null where it is not from there. */
  readonly monitor: string | null
  readonly state: WatchdogState
  /** When it began to fire, or stopped. */
  readonly sinceMicros: number
  /** The latest measurement. */
  readonly value: number | null
  readonly createdMicros: number
}

export interface WatchdogService {
  /** Oldest first; of one type where `type` is given. */
  list(type?: WatchdogType): WatchdogView[]
  /** @throws Refusal watchdog_not_found. */
  get(id: string): WatchdogView
  /** What this type can measure. */
  conditions(type: WatchdogType): readonly WatchdogCondition[]
  /** @throws Refusal invalid_body, job_not_found, limit_exceeded. */
  create(watchdog: NewWatchdog, by: Author): WatchdogView
  /** @throws Refusal watchdog_not_found, watchdog_of_job. */
  enable(id: string, enabled: boolean, by: Author): WatchdogView
  /** @throws Refusal watchdog_not_found, watchdog_of_job. */
  remove(id: string, by: Author): void
}
