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
  /** Seconds after which this one is told of again; the form has one for all. */
  readonly reminder?: number | string | undefined
  readonly working_hours_only?: boolean | undefined
}

/**
 * As the job's settings have them. `throttling`: seconds in which each tells at most once; `reminder`: seconds after
 * which one that still fires is told of again.
 */
export interface WatchdogSettings {
  readonly throttling?: number
  readonly reminder?: number
  readonly monitors: readonly Watched[]
}

function numberOf(given: unknown): number | undefined {
  const number = typeof given === 'string' && given.trim() === '' ? Number.NaN : Number(given ?? Number.NaN)
  return Number.isFinite(number) ? number : undefined
}

/** What a form or a document says of one watchdog. */
function watched({ interval_check: interval, working_hours_only: only, ...one }: GivenWatchdog): Watched {
  const seconds = numberOf(interval)
  return {
    ...one,
    ...(seconds === undefined ? {} : { interval_check: seconds }),
    ...(only === true ? { working_hours_only: true } : {}),
  }
}

type GivenWatchdog = Omit<Watched, 'interval_check'> & { readonly interval_check?: unknown }

function settings(throttling: unknown, reminder: unknown, monitors: readonly Watched[]): WatchdogSettings {
  const [once, again] = [numberOf(throttling), numberOf(reminder)]
  return {
    ...(once === undefined ? {} : { throttling: once }),
    ...(again === undefined ? {} : { reminder: again }),
    monitors,
  }
}

/** What the document says. */
export function watchdogsOf({ monitoring_settings: given }: JobSettings): WatchdogSettings {
  const monitors = given?.monitors ?? []
  return settings(
    given?.throttling,
    given?.reminder,
    monitors.map(({ active = true, ...one }) => watched({ ...one, active })),
  )
}

/** What the form says. Watchdogs that it does not have stay as they are; one that was never on is not added. */
export function watchdogsIn(data: FormData, before: WatchdogSettings): WatchdogSettings {
  const text = (name: string): string => String(data.get(name) ?? '')
  const isOn = (name: string): boolean => data.get(`watchdog ${name}`) !== null
  const inForm: ReadonlySet<string> = new Set(watchdogs)
  const said = (name: string): GivenWatchdog => ({
    name,
    active: isOn(name),
    interval_check: text(`interval ${name}`),
    working_hours_only: data.get(`hours ${name}`) !== null,
  })
  const known = before.monitors.map((one) => (inForm.has(one.name) ? watched({ ...one, ...said(one.name) }) : one))
  const added = watchdogs.filter((name) => isOn(name) && !before.monitors.some((one) => one.name === name))
  return settings(text('throttling'), text('reminder'), [...known, ...added.map((name) => watched(said(name)))])
}
