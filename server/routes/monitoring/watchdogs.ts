/** Watchdogs: conditions that the service checks and reports (CONTRACT.md#monitoring). */
import {
  isoMicros,
  isWatchdogType,
  Refusal,
  watchdogTypes,
  type WatchdogType,
  type WatchdogView,
} from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import { StatusOnly } from '../../schemas/common.js'
import {
  Watchdog,
  WatchdogConditions,
  WatchdogDocument,
  WatchdogList,
  WatchdogSwitch,
} from '../../schemas/watchdogs.js'

const tag = 'Monitoring'
const base = '/api/monitoring/api/v1/watchdogs'

export function watchdogWire(view: WatchdogView) {
  return {
    watchdog_id: view.id,
    title: view.title,
    type: view.type,
    condition: view.condition,
    job_id: view.jobId,
    threshold: view.threshold,
    resolve_threshold: view.resolveThreshold,
    window_minutes: view.windowMinutes === 0 ? null : view.windowMinutes,
    for_seconds: view.forSeconds,
    interval_seconds: view.intervalSeconds,
    throttle_seconds: view.throttleSeconds,
    reminder_seconds: view.reminderSeconds,
    working_hours_only: view.workingHoursOnly,
    integrations: view.integrations.map(({ id, title }) => ({ integration_id: id, title })),
    monitor: view.monitor,
    enabled: view.enabled,
    state: view.state,
    since: isoMicros(view.sinceMicros),
    value: view.value,
    created_at: isoMicros(view.createdMicros),
  }
}

function listWire(views: readonly WatchdogView[]) {
  return { watchdogs: views.map(watchdogWire), total_count: views.length }
}

/** @throws Refusal watchdog_not_found. */
function typeOf(text = ''): WatchdogType {
  if (isWatchdogType(text)) return text
  throw new Refusal('watchdog_not_found', `watchdog type not found; it is one of ${watchdogTypes.join(', ')}`)
}

const list = operation({
  method: 'GET',
  path: base,
  operationId: 'listWatchdogs',
  tag,
  summary: 'List all watchdogs',
  scope: 'write:platform_monitoring',
  responses: { 200: { description: 'All watchdogs, oldest first.', schema: WatchdogList } },
  handle: ({ app }) => listWire(app.service.monitor.watchdogs.list()),
})

const create = operation({
  method: 'POST',
  path: base,
  operationId: 'createWatchdog',
  tag,
  summary: 'Create a watchdog',
  description:
    'The watchdog is checked every ten seconds by default. It fires when the value has been beyond `threshold` for ' +
    '`for_seconds`. It resolves when the value has been at `resolve_threshold` or better for as long.\n\n' +
    'Both are recorded in the audit log, the log and `/metrics`. The integrations named (Webhook, Slack message, ' +
    'Syslog) send each of them at least once. A webhook gets `{"type": "watchdog.firing" or "watchdog.resolved", ' +
    '"id", "timestamp", "data": {title, message, severity, state, watchdog_id, type, condition, value, unit, fires, ' +
    'threshold, resolve_threshold, job_id, job_title, page, at, since, firing_since, fired_count, reminder}}`, ' +
    'signed like decisions. Every retry has the same `id`.\n\n' +
    'What `throttle_seconds` holds back is told when they are over: that it fires and since when, or how often it ' +
    'fired meanwhile. With `reminder_seconds` a watchdog that still fires is told of again.',
  scope: 'write:platform_monitoring',
  body: WatchdogDocument,
  bodyExample: { title: 'The mail gateway is silent', type: 'no_data', job_id: 1, threshold: 30 },
  status: 201,
  responses: { 201: { description: 'The watchdog; it is active.', schema: Watchdog } },
  errors: [404, 409, 507],
  handle({ app, body, principal }) {
    const type = typeOf(body.type)
    const condition = body.condition ?? app.service.monitor.watchdogs.conditions(type)[0]?.name ?? ''
    return watchdogWire(
      app.service.monitor.watchdogs.create(
        {
          title: body.title,
          type,
          condition,
          jobId: body.job_id ?? null,
          threshold: body.threshold,
          resolveThreshold: body.resolve_threshold,
          windowMinutes: body.window_minutes,
          forSeconds: body.for_seconds,
          enabled: body.enabled,
          integrations: body.integrations,
          intervalSeconds: body.interval_seconds,
          throttleSeconds: body.throttle_seconds,
          reminderSeconds: body.reminder_seconds,
          workingHoursOnly: body.working_hours_only,
        },
        principal,
      ),
    )
  },
})

const enable = operation({
  method: 'POST',
  path: `${base}/enable`,
  operationId: 'enableWatchdog',
  isIdempotent: true,
  tag,
  summary: 'Enable or disable a watchdog',
  description: 'Not for watchdogs from `monitoring_settings` of a job: change them there.',
  scope: 'write:platform_monitoring',
  body: WatchdogSwitch,
  bodyExample: { watchdog_id: '1', enabled: false },
  responses: { 200: { description: 'The watchdog now.', schema: Watchdog } },
  errors: [404, 409, 507],
  handle: ({ app, body, principal }) =>
    watchdogWire(app.service.monitor.watchdogs.enable(body.watchdog_id, body.enabled, principal)),
})

const ofType = operation({
  method: 'GET',
  path: `${base}/type/{watchdog_type}`,
  operationId: 'listWatchdogsOfType',
  tag,
  summary: 'List the watchdogs of one type',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'The watchdogs of the type, oldest first.', schema: WatchdogList } },
  errors: [404],
  handle: ({ app, params }) => listWire(app.service.monitor.watchdogs.list(typeOf(params[0]))),
})

const one = operation({
  method: 'GET',
  path: `${base}/id/{watchdog_id}`,
  operationId: 'getWatchdog',
  tag,
  summary: 'Get a watchdog',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'The watchdog.', schema: Watchdog } },
  errors: [404],
  handle: ({ app, params }) => watchdogWire(app.service.monitor.watchdogs.get(params[0] ?? '')),
})

const remove = operation({
  method: 'DELETE',
  path: `${base}/{watchdog_id}`,
  operationId: 'deleteWatchdog',
  tag,
  summary: 'Delete a watchdog',
  scope: 'write:platform_monitoring',
  responses: { 200: { description: 'The watchdog is deleted.', schema: StatusOnly } },
  errors: [404, 409, 507],
  handle({ app, params, principal }) {
    app.service.monitor.watchdogs.remove(params[0] ?? '', principal)
    return { status: 'OK' }
  },
})

const conditions = operation({
  method: 'GET',
  path: `${base}/conditions/{watchdog_type}`,
  operationId: 'listWatchdogConditions',
  tag,
  summary: 'List the conditions of a watchdog type',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'The conditions, the default first.', schema: WatchdogConditions } },
  errors: [404],
  handle({ app, params }) {
    const type = typeOf(params[0])
    return {
      type,
      conditions: app.service.monitor.watchdogs
        .conditions(type)
        .map(({ name, description, unit, bad, threshold, scope, windowMinutes }) => ({
          condition: name,
          description,
          unit,
          fires: bad,
          default_threshold: threshold,
          job_id: { job: 'required', any: 'optional', service: 'not allowed' }[scope],
          default_window_minutes: windowMinutes,
        })),
    }
  },
})

export const watchdogRoutes: readonly Route[] = [list, enable, ofType, one, conditions, remove, create]
