/**
 * The watchdogs of a job's settings: `advanced_settings.monitoring_settings`, as existing clients send them.
 *
 * | setting                     | meaning                                                                           |
 * |-----------------------------|-----------------------------------------------------------------------------------|
 * | `monitors[].name`           | a type of watchdogs, or one of its conditions; other names are kept and ignored   |
 * | `monitors[].active`         | checked unless it is false                                                        |
 * | `monitors[].interval_check` | seconds between two checks; 10 where it is less or not given                      |
 * | `reminder`, `monitors[].reminder` | seconds after which a monitor that still fires is told of again; else never |
 * | `monitors[].working_hours_only` | checked in the working hours of the job only, and counts their minutes only   |
 * | `throttling`                | seconds in which a monitor tells at most once that it fires; without it, always   |
 *
 * Integrations tell of these watchdogs if they are enabled post decision steps of the job and of a kind that can:
 * Webhook, Slack message, Syslog. Thresholds are the defaults.
 *
 * Owns: which watchdogs the settings mean, and what has to change with them. Leaves out: changing it (watchdogs.ts).
 */
import { takesOut, type JobSettings } from '../../domain/job/job.js'
import type { NewWatchdog } from '../../api/watchdog-service.js'
import type { IntegrationRecord } from '../../resource/records.js'
import { monitorBounds } from './bounds.js'
import { SAMPLE_SECONDS } from './sample-store.js'
import { conditions, watchdogTypes } from './watchdog-conditions.js'
import type { NewWatchdogRow, WatchdogRow } from './watchdog-log.js'
import { canTell, newWatchdog } from './new-watchdog.js'

interface JobMonitor {
  readonly name: string
  readonly watchdog: NewWatchdog
  readonly integrationIds: readonly number[]
}

interface Settings {
  readonly throttling?: unknown
  readonly reminder?: unknown
  readonly monitors?: readonly {
    readonly name: string
    readonly active?: boolean
    readonly interval_check?: number | string
    readonly reminder?: number | string
    readonly working_hours_only?: boolean
  }[]
}

function seconds(given: unknown, least: number, most: number): number {
  const number = Number(given ?? least)
  return Number.isFinite(number) ? Math.min(most, Math.max(least, number)) : least
}

/** Seconds between two reminders; 0 for none. */
function reminderOf(given: unknown): number {
  const { watchdogReminderSecondsMin: least, watchdogWindowSecondsMax: most } = monitorBounds
  return Number(given ?? 0) > 0 ? seconds(given, least, most) : 0
}

/** The condition with that name, or the first of the type with that name; null where jobs have no such condition. */
function watchdogNamed(name: string): Pick<NewWatchdog, 'type' | 'condition'> | null {
  for (const type of watchdogTypes) {
    const condition = name === type ? conditions[type][0] : conditions[type].find((each) => each.name === name)
    if (condition !== undefined && condition.scope !== 'service') return { type, condition: condition.name }
  }
  return null
}

function monitorsOf(job: JobSettings, integrations: Iterable<IntegrationRecord>): JobMonitor[] {
  const settings = (job.advancedSettings.monitoring_settings ?? {}) as Settings
  if (settings.monitors === undefined || settings.monitors.length === 0) return []
  const telling = new Set([...integrations].filter(canTell).map(({ id }) => id))
  const steps = job.pipeline.filter(
    (step) => step.role === 'post_decision' && takesOut(step) && telling.has(step.integrationId),
  )
  const integrationIds = [...new Set(steps.map(({ integrationId }) => integrationId))].slice(
    0,
    monitorBounds.watchdogIntegrationsMax,
  )
  const found = new Map<string, JobMonitor>()
  for (const monitor of settings.monitors) {
    const { name, active = true, interval_check: interval, reminder, working_hours_only: only = false } = monitor
    const named = watchdogNamed(name)
    if (named === null || found.has(name)) continue
    const watchdog: NewWatchdog = {
      ...named,
      title: name,
      jobId: job.id,
      enabled: active,
      forSeconds: 0,
      intervalSeconds: seconds(interval, SAMPLE_SECONDS, monitorBounds.watchdogIntervalSecondsMax),
      throttleSeconds: seconds(settings.throttling, 0, monitorBounds.watchdogWindowSecondsMax),
      reminderSeconds: reminderOf(reminder ?? settings.reminder),
      workingHoursOnly: only,
    }
    found.set(name, { name, watchdog, integrationIds })
  }
  return [...found.values()]
}

/** A change of one watchdog: `was` is null for a new one, `now` for one to delete. */
export type MonitorChange =
  | { readonly was: null; readonly now: NewWatchdogRow }
  | { readonly was: WatchdogRow; readonly now: WatchdogRow | null }

/** What makes the watchdogs of a job's settings follow them. Of a job that is gone all `rows` are deleted. */
export function monitorChanges(
  rows: readonly WatchdogRow[],
  job: JobSettings | undefined,
  integrations: Iterable<IntegrationRecord>,
  nowMicros: number,
): MonitorChange[] {
  if (job === undefined) return rows.map((was) => ({ was, now: null }))
  const left = new Map(rows.map((row) => [row.monitor, row]))
  const changes: MonitorChange[] = []
  for (const { name, watchdog, integrationIds } of monitorsOf(job, integrations)) {
    const was = left.get(name)
    left.delete(name)
    const made = { ...newWatchdog(watchdog, integrationIds, nowMicros), monitor: name }
    if (was === undefined) changes.push({ was: null, now: made })
    else if (settingsOf(was) !== settingsOf(made)) changes.push({ was, now: changed(was, made) })
  }
  return [...changes, ...[...left.values()].map((was) => ({ was, now: null }))]
}

/** What the settings decide of a watchdog, as text. */
function settingsOf({
  enabled,
  intervalSeconds,
  throttleSeconds,
  reminderSeconds,
  workingHoursOnly,
  integrationIds,
}: NewWatchdogRow): string {
  return JSON.stringify([enabled, intervalSeconds, throttleSeconds, reminderSeconds, workingHoursOnly, integrationIds])
}

/** The row with the present settings; its state stays. */
function changed(
  was: WatchdogRow,
  { enabled, intervalSeconds, throttleSeconds, reminderSeconds, workingHoursOnly, ...told }: NewWatchdogRow,
): WatchdogRow {
  const { integrationIds, namedMicros } = told
  const isNamed = integrationIds.join() !== was.integrationIds.join()
  return {
    ...was,
    enabled,
    intervalSeconds,
    throttleSeconds,
    reminderSeconds,
    workingHoursOnly,
    integrationIds,
    namedMicros: isNamed ? namedMicros : was.namedMicros,
  }
}
