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
 * usual ones. Owns: what of the settings is a watchdog. Leaves out: keeping them in step (watchdogs.ts).
 */
import { takesOut, type JobSettings } from '../job/job.js'
import { monitorBounds } from '../monitor/bounds.js'
import { SAMPLE_SECONDS } from '../monitor/sample-store.js'
import { conditions, watchdogTypes } from '../monitor/watchdog.js'
import type { WatchdogRow } from '../monitor/watchdog-log.js'
import type { NewWatchdog } from '../monitor/watchdog-service.js'
import type { IntegrationRecord } from '../resource/records.js'
import { canTell } from './watchdog-making.js'

export interface JobMonitor {
  readonly name: string
  readonly watchdog: NewWatchdog
  readonly integrationIds: readonly number[]
}

interface Settings {
  readonly throttling?: unknown
  readonly monitors?: readonly { readonly name: string; readonly active?: boolean; readonly interval_check?: number | string }[]
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

export function monitorsOf(job: JobSettings, integrations: Iterable<IntegrationRecord>): JobMonitor[] {
  const settings = (job.advancedSettings['monitoring_settings'] ?? {}) as Settings
  if (settings.monitors === undefined || settings.monitors.length === 0) return []
  const telling = new Set([...integrations].filter(canTell).map(({ id }) => id))
  const steps = job.pipeline.filter((step) => step.role === 'post_decision' && takesOut(step) && telling.has(step.integrationId))
  const integrationIds = [...new Set(steps.map(({ integrationId }) => integrationId))].slice(0, monitorBounds.watchdogIntegrationsMax)
  const found = new Map<string, JobMonitor>()
  for (const { name, active = true, interval_check: interval } of settings.monitors) {
    const watched = watchdogNamed(name)
    if (watched === null || found.has(name)) continue
    const watchdog: NewWatchdog = {
      ...watched, title: name, jobId: job.id, enabled: active, forSeconds: 0,
      intervalSeconds: seconds(interval, SAMPLE_SECONDS, monitorBounds.watchdogIntervalSecondsMax),
      throttleSeconds: seconds(settings.throttling, 0, monitorBounds.watchdogWindowSecondsMax),
    }
    found.set(name, { name, watchdog, integrationIds })
  }
  return [...found.values()]
}

/** Whether a row is to become what the settings say now. */
export function isOtherMonitor(row: WatchdogRow, now: WatchdogRow): boolean {
  const told = (each: WatchdogRow): string => {
    return JSON.stringify([each.title, each.enabled, each.intervalSeconds, each.throttleSeconds, each.integrationIds])
  }
  return told(row) !== told(now)
}
