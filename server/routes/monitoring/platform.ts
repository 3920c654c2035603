/** The service as a whole: health, store, logs, latest work, and export of the set-up (CONTRACT.md#monitoring). */
import { batchKinds, components, isoMicros, isComponent, type Batch } from '../../../engine/index.js'
import { replyJson } from '../../http/reply.js'
import { operation, type Route } from '../../http/route.js'
import { StatusOnly } from '../../schemas/common.js'
import { BatchList, BatchQuery, ObjectsExport, ServiceAlive, StoreStatus } from '../../schemas/monitoring.js'
import { replyZip, zipType } from '../../zip.js'
import { containerOf } from './containers.js'
import { watchdogWire } from './watchdogs.js'

const tag = 'Monitoring'
const base = '/api/monitoring/api/v1'
const BATCHES = 50
/** The store is yellow below this share of free disk. */
const YELLOW_BELOW = 0.05

const alive: Route = {
  method: 'GET',
  path: `${base}/health/check`,
  operationId: 'checkMonitoring',
  tag,
  summary: 'Check that the monitoring is alive',
  scope: null,
  responses: { 200: { description: 'The monitoring is alive.', schema: ServiceAlive } },
  serve: (exchange, _params, app) => replyJson(exchange, 200, { status: 'OK', state: app.state }),
}

const store = operation({
  method: 'GET',
  path: `${base}/status/elasticsearch`,
  operationId: 'getStoreStatus',
  tag,
  summary: 'Get the state of the store',
  description: 'In the form of a search engine, for clients that expect one. The service has its own store.',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'The state.', schema: StoreStatus } },
  handle({ app, principal }) {
    const { monitor, name } = app.service
    const { shards, catalogBytes } = monitor.figures()
    const free = monitor.diskFree
    const status = free >= YELLOW_BELOW ? 'green' : free > 0 ? 'yellow' : 'red'
    const indices = [
      { name: 'catalog', health: status, store_bytes: catalogBytes },
      ...shards.map(({ shard, storeBytes }) => ({ name: `shard-${shard}`, health: status, store_bytes: storeBytes })),
    ]
    return {
      cluster_name: name,
      status,
      number_of_nodes: 1,
      documents: app.service
        .jobViews(principal, false)
        .reduce((sum, { processedDocuments }) => sum + processedDocuments, 0),
      store_bytes: indices.reduce((sum, { store_bytes: bytes }) => sum + bytes, 0),
      disk_free_percent: Math.round(free * 10_000) / 100,
      indices,
    }
  },
})

function stamp(): string {
  return new Date().toISOString().slice(0, 19).replace(/[:T-]/g, '')
}

const containerLogs = {
  method: 'GET',
  path: `${base}/logs/export-zip/{component_type}/{container_id}`,
  operationId: 'exportContainerLogs',
  tag,
  summary: 'Download the log of one component as ZIP',
  description: 'The lines of the component that the log files still hold, oldest first. Each line is JSON.',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'An archive with one file.', mediaType: zipType } },
  errors: [404],
  serve(exchange, params, app) {
    const name = containerOf(params)
    replyZip(
      exchange,
      `${name.component}-${name.container}-${stamp()}.zip`,
      app.service.monitor.logOf(name).then((file) => [file]),
    )
  },
} as const satisfies Route

const allLogs = {
  method: 'GET',
  path: `${base}/logs/export-all`,
  operationId: 'exportAllLogs',
  tag,
  summary: 'Download the log of the whole service as ZIP',
  description: 'The log files. Each line is JSON and names its `component` and `container`.',
  scope: 'read:platform_monitoring',
  responses: { 200: { description: 'An archive with the log files.', mediaType: zipType } },
  serve(exchange, _params, app) {
    replyZip(exchange, `logs-${stamp()}.zip`, app.service.monitor.logFiles())
  },
} as const satisfies Route

function batchWire({ kind, container, jobId, items, finishedMicros, seconds, error }: Batch) {
  const [component = '', id = ''] = container.split('/')
  return {
    type: kind,
    component_type: isComponent(component) ? component : components[0],
    container_id: id,
    job_id: jobId,
    items,
    started_at: isoMicros(Math.floor(finishedMicros - seconds * 1e6)),
    finished_at: isoMicros(finishedMicros),
    seconds: Math.round(seconds * 1e6) / 1e6,
    status: error === null ? 'finished' : 'failed',
    error,
  }
}

const batches = operation({
  method: 'GET',
  path: `${base}/batches/latest`,
  operationId: 'listLatestBatches',
  tag,
  summary: 'List the latest work of the service',
  description:
    'Turns of the threads that decide events, trainings, polls of inputs, and recomputations of metrics; latest first.',
  scope: 'read:platform_monitoring',
  query: BatchQuery,
  responses: { 200: { description: 'Work since the process started.', schema: BatchList } },
  handle: ({ app, query }) => ({
    batches: app.service.monitor
      .batches(query.type === undefined ? batchKinds : [query.type], query.size ?? BATCHES)
      .map(batchWire),
  }),
})

const objects = operation({
  method: 'GET',
  path: `${base}/objects/export`,
  operationId: 'exportObjects',
  tag,
  summary: 'Export the set-up, without secrets',
  description: 'The content of `resources` can be posted to `/api/v2/resources` of a service that has the secrets.',
  scope: 'write:platform_monitoring',
  responses: { 200: { description: 'The whole set-up.', schema: ObjectsExport } },
  handle: ({ app }) => ({
    exported_at: isoMicros(Date.now() * 1_000),
    name: app.service.name,
    resources: app.service.listResources({ full: true }),
    users: app.service.users
      .list()
      .map(({ name, role, enabled, createdAt }) => ({ name, role, enabled, created_at: createdAt })),
    watchdogs: app.service.monitor.watchdogs.list().map(watchdogWire),
  }),
})

const restart = operation({
  method: 'POST',
  path: `${base}/restart`,
  operationId: 'restartMonitoring',
  tag,
  summary: 'Restart the monitoring',
  description: 'Restarts the container `monitor/main`: measurements and watchdogs, not the service.',
  scope: 'write:platform_monitoring',
  responses: { 200: { description: 'The monitoring runs again.', schema: StatusOnly } },
  async handle({ app, principal }) {
    await app.service.monitor.restart(principal)
    return { status: 'OK' }
  },
})

export const platformRoutes: readonly Route[] = [alive, store, containerLogs, allLogs, batches, objects, restart]
