/** The watchdogs of a job as its form has them: what is watched, how often, and how often it is told. */
import type { JobSettings } from '../../../client/index.js'

/** What can be watched in a job, by the names of its settings. */
export const watchdogs = [
  'no_data',
  'undecided_events',
  'outlier_rate',
  'confidence_drift',
  'models_ageing',
  'disagreement',
  'feedback_lag',
  'job_in_error',
  'steps_failing',
] as const

export type WatchdogName = (typeof watchdogs)[number]

export interface Watched {
  readonly name: string
  readonly active: boolean
  /** Seconds between two checks. */
  readonly interval_check?: number
}

/** As the job's settings have them. `throttling`: seconds in which each tells at most once. */
export interface WatchdogSettings {
  readonly throttling?: number
  readonly monitors: readonly Watched[]
}

function numberOf(given: unknown): number | undefined {
  const number = typeof given === 'string' && given.trim() === '' ? Number.NaN : Number(given ?? Number.NaN)
  return Number.isFinite(number) ? number : undefined
}

function watched(name: string, active: boolean, interval: unknown): Watched {
  const seconds = numberOf(interval)
  return { name, active, ...(seconds === undefined ? {} : { interval_check: seconds }) }
}

function settings(throttling: unknown, monitors: readonly Watched[]): WatchdogSettings {
  const seconds = numberOf(throttling)
  return { ...(seconds === undefined ? {} : { throttling: seconds }), monitors }
}

/** What the document says. */
export function watchdogsOf({ monitoring_settings: given }: JobSettings): WatchdogSettings {
  const monitors = given?.monitors ?? []
  return settings(
    given?.throttling,
    monitors.map(({ name, active = true, interval_check: interval }) => watched(name, active, interval)),
  )
}

/** What the form says. Watchdogs that it does not have stay as they are; one that was never on is not added. */
export function watchdogsIn(data: FormData, before: WatchdogSettings): WatchdogSettings {
  const text = (name: string): string => String(data.get(name) ?? '')
  const isOn = (name: string): boolean => data.get(`watchdog ${name}`) !== null
  const inForm: ReadonlySet<string> = new Set(watchdogs)
  const known = before.monitors.map((one) =>
    inForm.has(one.name) ? watched(one.name, isOn(one.name), text(`interval ${one.name}`)) : one,
  )
  const added = watchdogs.filter((name) => isOn(name) && !before.monitors.some((one) => one.name === name))
  return settings(text('throttling'), [...known, ...added.map((name) => watched(name, true, text(`interval ${name}`)))])
}
