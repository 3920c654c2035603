/** The components of the service: health, resource usage, restarts and log levels (CONTRACT.md#monitoring). */
import type { Static } from 'typebox'
import {
  components,
  isComponent,
  isoMicros,
  isTimeSelector,
  MAIN,
  Refusal,
  timeSelectors,
  type ContainerName,
  type ContainerView,
  type TimeSelector,
} from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import type { Container } from '../../schemas/monitoring.js'
import {
  Container as ContainerSchema,
  ContainerCheck,
  ContainerList,
  LogLevelChange,
  LogLevelResult,
  RestartResult,
  RestartResults,
  UsageSeries,
} from '../../schemas/monitoring.js'

const tag = 'Monitoring'
const base = '/api/monitoring/api/v1'
const named = '{component_type}/{container_id}'

/** The container that a path names. @throws Refusal container_not_found. */
export function containerOf([component = '', container = '']: readonly string[]): ContainerName {
  if (isComponent(component)) return { component, container }
  throw new Refusal('container_not_found', `container not found; component_type is one of ${components.join(', ')}`)
}

function nameWire({ component, container }: ContainerName) {
  return { component_type: component, container_id: container }
}

function containerWire(view: ContainerView): Static<typeof Container> {
  return {
    ...nameWire(view),
    title: view.title,
    status: view.status,
    health: view.health,
    reason: view.reason,
    started_at: isoMicros(view.startedMicros),
    uptime_seconds: Math.round(Math.max(0, Date.now() - view.startedMicros / 1_000)) / 1_000,
    restarts: view.restarts,
    restartable: view.restartable,
    queue: { length: view.waiting, bytes: view.waitingBytes },
    store_bytes: view.storeBytes,
    cpu_percent: view.cpuPercent,
    memory_bytes: view.memoryBytes,
    log_level: view.logLevel,
    last_error: view.lastError === null ? null : { timestamp: view.lastError.at, message: view.lastError.message },
  }
}

function selectorOf(text = ''): TimeSelector {
  if (isTimeSelector(text)) return text
  const msg = `time_selector is one of ${timeSelectors.join(', ')}`
  throw new Refusal('invalid_body', msg, { issues: [{ loc: ['path', 'time_selector'], msg, type: 'enum' }] })
}

const all = operation({
  method: 'GET',
  path: `${base}/containers/all`,
  operationId: 'listContainers',
  tag,
  summary: 'List the containers of the service and their health',
  description:
    'A container is a thread, or the monitoring: it can be restarted, has its own start, and is measured. The parts ' +
    'that are none are not listed, but known by name: `api/main` (the HTTP server), `store/catalog` and ' +
    '`store/shard-<n>`, `integration/<id>`, and `monitor/process` (the whole process).',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'All of them.', schema: ContainerList } },
  async handle({ app }) {
    const views = await app.service.monitor.containers.all()
    return { containers: views.map(containerWire), total_count: views.length }
  },
})

const info = operation({
  method: 'GET',
  path: `${base}/containers/info/${named}`,
  operationId: 'getContainer',
  tag,
  summary: 'Get one component of the service',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'The component.', schema: ContainerSchema } },
  errors: [404],
  handle: async ({ app, params }) => containerWire(await app.service.monitor.containers.one(containerOf(params))),
})

function usage(what: 'cpu' | 'memory') {
  return operation({
    method: 'GET',
    path: `${base}/containers/metrics/${what}-usage/${named}/{time_selector}`,
    operationId: what === 'cpu' ? 'getCpuUsage' : 'getMemoryUsage',
    tag,
    summary: what === 'cpu' ? 'Get the processor time used by a component' : 'Get the memory used by a component',
    description:
      `\`time_selector\` is the period up to now: ${timeSelectors.map((each) => `\`${each}\``).join(', ')}. ` +
      'There is a point every ten seconds for the last hour, every minute for the last day, and every ten minutes ' +
      'for the last week. Points survive restarts. `monitor/process` is the whole process. Every container has ' +
      'points; a thread that is not needed now has 0. Stores and single integrations have none.',
    scope: 'read:platform_monitoring',
    responses: { 200: { description: 'Points.', schema: UsageSeries } },
    errors: [404, 422],
    async handle({ app, params }) {
      const name = containerOf(params)
      const selector = selectorOf(params[2])
      const points = await app.service.monitor.containers.series(name, what, selector)
      return {
        ...nameWire(name),
        time_selector: selector,
        unit: what === 'cpu' ? 'percent' : 'bytes',
        points: points.map(({ atMicros, value }) => ({ timestamp: isoMicros(atMicros), value })),
      }
    },
  })
}

const healthcheck = operation({
  method: 'POST',
  path: `${base}/containers/healthcheck/${named}`,
  operationId: 'checkContainer',
  isIdempotent: true,
  tag,
  summary: 'Check the health of a component',
  description: 'The component has five seconds to answer.',
  scope: 'write:platform_monitoring',
  responses: { 200: { description: 'The result, good or bad.', schema: ContainerCheck } },
  errors: [404],
  async handle({ app, params }) {
    const { health, reason, milliseconds, atMicros, ...name } = await app.service.monitor.containers.check(
      containerOf(params),
    )
    return {
      ...nameWire(name),
      health,
      reason,
      response_ms: Math.round(milliseconds * 1_000) / 1_000,
      checked_at: isoMicros(atMicros),
    }
  },
})

const restartAll = operation({
  method: 'POST',
  path: `${base}/containers/restart/all`,
  operationId: 'restartAllContainers',
  tag,
  summary: 'Restart all containers',
  description:
    'Restarts one container after the other, and says how each went. Nothing is lost; messages wait meanwhile. The ' +
    'HTTP server and the stores keep running.',
  scope: 'write:platform_monitoring',
  responses: { 200: { description: 'The outcome for each container.', schema: RestartResults } },
  async handle({ app, principal }) {
    const outcomes = await app.service.monitor.containers.restartAll(principal)
    return { containers: outcomes.map(({ restarted, reason, ...name }) => ({ ...nameWire(name), restarted, reason })) }
  },
})

const restart = operation({
  method: 'POST',
  path: `${base}/containers/restart/${named}`,
  operationId: 'restartContainer',
  tag,
  summary: 'Restart a container or an integration',
  description:
    'Messages wait meanwhile. A training runs again, queries are answered first, and a delivery resumes where it ' +
    'was. The status is 409 for parts that restart only with the process: `api/main`, stores and `monitor/process`.',
  scope: 'write:platform_monitoring',
  responses: { 200: { description: 'The component runs again.', schema: RestartResult } },
  errors: [404, 409],
  async handle({ app, params, principal }) {
    const name = containerOf(params)
    await app.service.monitor.containers.restart(name, principal)
    return { ...nameWire(name), restarted: true, reason: '' }
  },
})

const logLevel = operation({
  method: 'POST',
  path: `${base}/containers/loglevel/${named}`,
  operationId: 'setContainerLogLevel',
  tag,
  summary: 'Set the log level of a component',
  description: 'Valid until the next start, or until SIGHUP reloads the settings.',
  scope: 'write:platform_monitoring',
  body: LogLevelChange,
  bodyExample: { log_level: 'debug' },
  responses: { 200: { description: 'So it is from now on.', schema: LogLevelResult } },
  errors: [404],
  async handle({ app, params, body, principal }) {
    const name = containerOf(params)
    await app.service.monitor.containers.setLogLevel(name, body.log_level, principal)
    return { ...nameWire(name), log_level: body.log_level }
  },
})

const ownLogLevel = operation({
  method: 'POST',
  path: `${base}/loglevel`,
  operationId: 'setMonitorLogLevel',
  tag,
  summary: 'Set the log level of the monitoring',
  scope: 'write:platform_monitoring',
  body: LogLevelChange,
  bodyExample: { log_level: 'debug' },
  responses: { 200: { description: 'So it is from now on.', schema: LogLevelResult } },
  async handle({ app, body, principal }) {
    const name = { component: 'monitor', container: MAIN } as const
    await app.service.monitor.containers.setLogLevel(name, body.log_level, principal)
    return { ...nameWire(name), log_level: body.log_level }
  },
})

/** `restart/all` comes before the restart by name, which would match it too. */
export const containerRoutes: readonly Route[] = [
  all,
  info,
  usage('cpu'),
  usage('memory'),
  healthcheck,
  restartAll,
  restart,
  logLevel,
  ownLogLevel,
]
