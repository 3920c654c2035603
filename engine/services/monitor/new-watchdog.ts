/**
 * New watchdogs: whether the request is consistent, and the row that is made of it.
 *
 * Leaves out: keeping (watchdog-changes.ts), checking (watchdog-checks.ts).
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { WINDOW_MINUTES_MAX } from '../../domain/metrics/decision-window.js'
import type { NewWatchdog, WatchdogCondition } from '../../api/watchdog-service.js'
import type { IntegrationRecord } from '../../resource/records.js'
import { outsideKind } from '../../integration/registry.js'
import { monitorBounds } from './bounds.js'
import { SAMPLE_SECONDS } from './sample-store.js'
import { conditionOf, conditions } from './watchdog-conditions.js'
import type { NewWatchdogRow } from './watchdog-log.js'

/** How long a value must be bad, where it is not given. */
const FOR_SECONDS = 60

function wrong(field: string, msg: string): Refusal {
  return new Refusal('invalid_body', msg, { issues: [{ loc: ['body', field], msg, type: 'value_error' }] })
}

/** True where the integration can tell of watchdogs. */
export function canTell({ kind }: IntegrationRecord): boolean {
  return outsideKind(kind)?.sendsAlerts === true
}

/** The ids of integrations that are named by id or title. @throws Refusal invalid_body. */
export function namedIntegrations(
  integrations: Iterable<IntegrationRecord>,
  names: readonly (number | string)[],
): number[] {
  const all = [...integrations]
  if (names.length > monitorBounds.watchdogIntegrationsMax)
    throw wrong('integrations', `at most ${monitorBounds.watchdogIntegrationsMax}`)
  const ids = names.map((name) => {
    const found = all.find(({ id, title }) => (typeof name === 'number' ? id === name : title === name))
    if (found === undefined) throw wrong('integrations', `there is no integration ${JSON.stringify(name)}`)
    if (!canTell(found))
      throw wrong('integrations', `${found.title} cannot tell of watchdogs; Webhook, Slack message and Syslog can`)
    return found.id
  })
  return [...new Set(ids)]
}

/** The row of a new watchdog. @throws Refusal invalid_body, with the field that does not fit. */
export function newWatchdog(query: NewWatchdog, integrationIds: readonly number[], nowMicros: number): NewWatchdogRow {
  const condition = mustFit(query)
  const {
    title,
    type,
    jobId,
    threshold = condition.threshold,
    resolveThreshold = threshold,
    forSeconds = FOR_SECONDS,
    enabled = true,
  } = query
  const { windowMinutes = condition.windowMinutes ?? 0, intervalSeconds = SAMPLE_SECONDS, throttleSeconds = 0 } = query
  const { reminderSeconds = 0, workingHoursOnly = false } = query
  return {
    title,
    type,
    condition: condition.name,
    jobId,
    threshold,
    resolveThreshold,
    forSeconds,
    enabled,
    windowMinutes,
    intervalSeconds,
    throttleSeconds,
    reminderSeconds,
    workingHoursOnly,
    integrationIds,
    monitor: null,
    state: enabled ? 'unknown' : 'disabled',
    sinceMicros: nowMicros,
    createdMicros: nowMicros,
    namedMicros: nowMicros,
    toldMicros: null,
    isTold: false,
    untold: 0,
  }
}

/** @throws Refusal invalid_body, with the field that does not fit. */
function mustFit(query: NewWatchdog): WatchdogCondition {
  const condition = conditionOf(query.type, query.condition)
  if (condition === undefined) {
    const names = conditions[query.type].map(({ name }) => name).join(', ')
    throw wrong('condition', `a watchdog of type ${query.type} has one of these conditions: ${names}`)
  }
  if (query.title.trim() === '' || query.title.length > limits.nameCharsMax)
    throw wrong('title', `a title has 1 to ${limits.nameCharsMax} characters`)
  if (condition.scope === 'job' && query.jobId === null) throw wrong('job_id', 'this condition is about one job')
  if (condition.scope === 'service' && query.jobId !== null)
    throw wrong('job_id', 'this condition is about the service as a whole')
  mustFitThresholds(query, condition)
  mustFitTimes(query, condition)
  return condition
}

function mustFitThresholds(query: NewWatchdog, { bad, threshold: usual }: WatchdogCondition): void {
  const { threshold = usual, resolveThreshold = threshold } = query
  if (bad === 'above' ? resolveThreshold > threshold : resolveThreshold < threshold)
    throw wrong('resolve_threshold', `must not be ${bad} the threshold`)
}

function mustFitTimes(query: NewWatchdog, condition: WatchdogCondition): void {
  const { windowMinutes, forSeconds = FOR_SECONDS, intervalSeconds = SAMPLE_SECONDS, throttleSeconds = 0 } = query
  const { reminderSeconds = 0 } = query
  const { watchdogWindowSecondsMax, watchdogIntervalSecondsMax, watchdogReminderSecondsMin } = monitorBounds
  if (windowMinutes !== undefined) {
    if (condition.windowMinutes === null) throw wrong('window_minutes', 'this condition is about the present moment')
    if (windowMinutes < 1 || windowMinutes > WINDOW_MINUTES_MAX)
      throw wrong('window_minutes', `1 to ${WINDOW_MINUTES_MAX} minutes`)
  }
  if (forSeconds < 0 || forSeconds > watchdogWindowSecondsMax)
    throw wrong('for_seconds', `0 to ${watchdogWindowSecondsMax} seconds; a check runs every ${SAMPLE_SECONDS}`)
  if (intervalSeconds < SAMPLE_SECONDS || intervalSeconds > watchdogIntervalSecondsMax)
    throw wrong('interval_seconds', `${SAMPLE_SECONDS} to ${watchdogIntervalSecondsMax} seconds`)
  if (throttleSeconds < 0 || throttleSeconds > watchdogWindowSecondsMax)
    throw wrong('throttle_seconds', `0 to ${watchdogWindowSecondsMax} seconds`)
  const isReminder = reminderSeconds >= watchdogReminderSecondsMin && reminderSeconds <= watchdogWindowSecondsMax
  if (reminderSeconds !== 0 && !isReminder)
    throw wrong('reminder_seconds', `0, or ${watchdogReminderSecondsMin} to ${watchdogWindowSecondsMax} seconds`)
}
