/**
 * New watchdogs: whether what is asked for fits together, and what of it is kept.
 *
 * Leaves out: keeping them, looking (watchdogs.ts).
 */
import { Refusal } from '../../errors.js'
import { outsideKind } from '../../integration/registry.js'
import { limits } from '../../limits.js'
import { monitorBounds } from './bounds.js'
import { WINDOW_MINUTES_MAX } from '../../domain/metrics/decision-window.js'
import { SAMPLE_SECONDS } from './sample-store.js'
import { conditionOf, conditions } from './watchdog.js'
import type { WatchdogRow } from './watchdog-log.js'
import type { NewWatchdog, WatchdogCondition } from '../../api/watchdog-service.js'
import type { IntegrationRecord } from '../../resource/records.js'

const FOR_SECONDS = 60

function wrong(field: string, msg: string): Refusal {
  return new Refusal('invalid_body', msg, { issues: [{ loc: ['body', field], msg, type: 'value_error' }] })
}

/** Whether the integration can tell watchdogs. */
export function canTell({ kind }: IntegrationRecord): boolean {
  return outsideKind(kind)?.sendsAlerts === true
}

/** @throws Refusal invalid_body. */
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
      throw wrong('integrations', `${found.title} cannot tell watchdogs; Webhook, Slack message and Syslog can`)
    return found.id
  })
  return [...new Set(ids)]
}

/** The row of a new watchdog. @throws Refusal invalid_body, with the place of what does not fit. */
export function newWatchdog(
  query: NewWatchdog,
  id: string,
  integrationIds: readonly number[],
  nowMicros: number,
): WatchdogRow {
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
  return {
    id,
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
    integrationIds,
    monitor: null,
    state: enabled ? 'unknown' : 'disabled',
    sinceMicros: nowMicros,
    createdMicros: nowMicros,
    namedMicros: nowMicros,
    toldMicros: null,
    isTold: false,
  }
}

/** @throws Refusal invalid_body, with the place of what does not fit. */
function mustFit(query: NewWatchdog): WatchdogCondition {
  const condition = conditionOf(query.type, query.condition)
  if (condition === undefined) {
    throw wrong(
      'condition',
      `a watchdog of type ${query.type} has one of these: ${conditions[query.type].map(({ name }) => name).join(', ')}`,
    )
  }
  if (query.title.trim() === '' || query.title.length > limits.nameCharsMax)
    throw wrong('title', `a title has 1 to ${limits.nameCharsMax} characters`)
  if (condition.scope === 'job' && query.jobId === null) throw wrong('job_id', 'this condition is about one job')
  if (condition.scope === 'service' && query.jobId !== null)
    throw wrong('job_id', 'this condition is about the service as a whole')
  const {
    threshold = condition.threshold,
    resolveThreshold = threshold,
    windowMinutes,
    forSeconds = FOR_SECONDS,
  } = query
  if (condition.bad === 'above' ? resolveThreshold > threshold : resolveThreshold < threshold) {
    throw wrong(
      'resolve_threshold',
      `it is good again ${condition.bad === 'above' ? 'below' : 'above'} the threshold, not beyond it`,
    )
  }
  if (
    windowMinutes !== undefined &&
    (condition.windowMinutes === null || windowMinutes < 1 || windowMinutes > WINDOW_MINUTES_MAX)
  ) {
    throw wrong(
      'window_minutes',
      condition.windowMinutes === null ? 'this condition looks at the moment' : `1 to ${WINDOW_MINUTES_MAX} minutes`,
    )
  }
  if (forSeconds < 0 || forSeconds > monitorBounds.watchdogWindowSecondsMax) {
    throw wrong(
      'for_seconds',
      `0 to ${monitorBounds.watchdogWindowSecondsMax} seconds; looked at every ${SAMPLE_SECONDS}`,
    )
  }
  const { intervalSeconds = SAMPLE_SECONDS, throttleSeconds = 0 } = query
  if (intervalSeconds < SAMPLE_SECONDS || intervalSeconds > monitorBounds.watchdogIntervalSecondsMax) {
    throw wrong('interval_seconds', `${SAMPLE_SECONDS} to ${monitorBounds.watchdogIntervalSecondsMax} seconds`)
  }
  if (throttleSeconds < 0 || throttleSeconds > monitorBounds.watchdogWindowSecondsMax) {
    throw wrong('throttle_seconds', `0 to ${monitorBounds.watchdogWindowSecondsMax} seconds`)
  }
  return condition
}
