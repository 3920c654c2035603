/**
 * The watchdogs that a job brings along: `advanced_settings.monitoring_settings`, as existing clients send them.
 *
 * | setting                      | means                                                                                    |
 * |------------------------------|------------------------------------------------------------------------------------------|
 * | `monitors[].name`            | a type of watchdogs, or one of its conditions; any other name is kept and means nothing  |
 * | `monitors[].active`          | looked at where it is not false                                                          |
 * | `monitors[].interval_check`  | seconds between two looks; 10 where it is less or not given                              |
 * | `throttling`                 | seconds in which a monitor tells at most once that it fires; each time where not given   |
 *
 * They are told by the job's enabled post decision steps whose kind can (Webhook, Slack message, Syslog), and thresholds are the
 * usual ones. Owns: what of the settings is a watchdog, and what has to change where they do. Leaves out: changing it (watchdogs.ts).
 */
import { takesOut, type JobSettings } from '../../domain/job/job.js'
import { monitorBounds } from './bounds.js'
import { SAMPLE_SECONDS } from './sample-store.js'
import { conditions, watchdogTypes } from './watchdog.js'
import type { WatchdogRow } from './watchdog-log.js'
import type { NewWatchdog } from '../../api/watchdog-service.js'
import type { IntegrationRecord } from '../../resource/records.js'
import { canTell, newWatchdog } from './new-watchdog.js'

interface JobMonitor {
  readonly name: string
  readonly watchdog: NewWatchdog
  readonly integrationIds: readonly number[]
}

interface Settings {
  readonly throttling?: unknown
  readonly monitors?: readonly {
    readonly name: string
    readonly active?: boolean
    readonly interval_check?: number | string
  }[]
}

function seconds(given: unknown, least: number, most: number): number {
  const number = Number(given ?? least)
  return Number.isFinite(number) ? Math.min(most, Math.max(least, number)) : least
}

/** The condition with that name, or the usual one of the type with that name; null where jobs have none. */
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
  for (const { name, active = true, interval_check: interval } of settings.monitors) {
    const watched = watchdogNamed(name)
    if (watched === null || found.has(name)) continue
    const watchdog: NewWatchdog = {
      ...watched,
      title: name,
      jobId: job.id,
      enabled: active,
      forSeconds: 0,
      intervalSeconds: seconds(interval, SAMPLE_SECONDS, monitorBounds.watchdogIntervalSecondsMax),
      throttleSeconds: seconds(settings.throttling, 0, monitorBounds.watchdogWindowSecondsMax),
    }
    found.set(name, { name, watchdog, integrationIds })
  }
  return [...found.values()]
}

/** One watchdog of a job: `was` null for a new one, whose id is still to be given, `now` null for one that goes. */
export type MonitorChange =
  | { readonly was: WatchdogRow | null; readonly now: WatchdogRow }
  | { readonly was: WatchdogRow; readonly now: null }

/** What has to become of the watchdogs that a job has brought along; with a job that is gone all of these go, whoever made them. */
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
    const made = { ...newWatchdog(watchdog, '', integrationIds, nowMicros), monitor: name }
    if (was === undefined) changes.push({ was: null, now: made })
    else if (toldOf(was) !== toldOf(made)) changes.push({ was, now: changed(was, made) })
  }
  return [...changes, ...[...left.values()].map((was) => ({ was, now: null }))]
}

/** What the settings say of a watchdog. */
function toldOf({ enabled, intervalSeconds, throttleSeconds, integrationIds }: WatchdogRow): string {
  return JSON.stringify([enabled, intervalSeconds, throttleSeconds, integrationIds])
}

/** The row as the settings say now; what it has seen stays. */
function changed(
  was: WatchdogRow,
  { enabled, intervalSeconds, throttleSeconds, integrationIds, namedMicros }: WatchdogRow,
): WatchdogRow {
  const isNamed = integrationIds.join() !== was.integrationIds.join()
  return {
    ...was,
    enabled,
    intervalSeconds,
    throttleSeconds,
    integrationIds,
    namedMicros: isNamed ? namedMicros : was.namedMicros,
  }
}
