/** The table of routes: every operation of the service. The OpenAPI document is made from the same rows. */
import { keptAnswer } from '../http/large-answer.js'
import { json, replyJson } from '../http/reply.js'
import type { Route } from '../http/route.js'
import { openApiDocument } from '../openapi.js'
import type { SchemaJson } from '../openapi-components.js'
import { simpleDocument } from '../openapi-simple.js'
import { AnyObject } from '../schemas/common.js'
import { ServiceLinks } from '../schemas/health.js'
import { alertmanagerRoutes } from './alertmanager.js'
import { autonomyRoutes } from './autonomy.js'
import { mcpRoutes } from '../mcp/route.js'
import { auditRoutes } from './monitoring/audit.js'
import { backupRoutes } from './monitoring/backups.js'
import { integrationMetadataRoutes } from './integration-metadata.js'
import { clusterRoutes } from './clusters.js'
import { consoleRoutes } from './console/pages.js'
import { servePage, wantsPage } from './console-files.js'
import { consensusRoutes } from './consensus.js'
import { docRoutes } from './docs.js'
import { eraseRoutes } from './erase.js'
import { eventRoutes } from './events.js'
import { explanationRoutes } from './explanations.js'
import { feedbackRoutes } from './feedback.js'
import { healthRoutes } from './health.js'
import { inboundRoutes } from './inbound/ingest.js'
import { integrationRoutes } from './integrations.js'
import { jobRoutes } from './jobs.js'
import { analystRoutes } from './labels/analysts.js'
import { labelRoutes } from './labels/next.js'
import { manualRoutes } from './manual.js'
import { challengerRoutes } from './models/challenger.js'
import { decisionRoutes } from './models/decisions.js'
import { replayRoutes } from './models/replays.js'
import { registryRoutes } from './models/registry.js'
import { metricsReportRoutes } from './metrics-reports.js'
import { metricsRoutes } from './metrics.js'
import { queryRoutes } from './queries.js'
import { containerRoutes } from './monitoring/containers.js'
import { platformRoutes } from './monitoring/platform.js'
import { probeRoutes } from './monitoring/probes.js'
import { openPrometheusRoutes, prometheusRoutes } from './monitoring/prometheus.js'
import { reprocessRoutes } from './reprocess-tasks.js'
import { resourceRoutes } from './resources.js'
import { storedEventRoutes } from './stored-events.js'
import { handlingRoutes } from './handling/handling.js'
import { sampleRoutes } from './sample/field-statistics.js'
import { voteTaskRoutes } from './votes/vote-tasks.js'
import { eventFileRoutes } from './lists/event-file.js'
import { fileWarningRoutes } from './lists/file-warnings.js'
import { listRoutes } from './lists/lists.js'
import { streamRoutes } from './stream/stream.js'
import { tokenRoutes } from './tokens.js'
import { watchdogRoutes } from './monitoring/watchdogs.js'
import { userRoutes } from './users.js'

const documents = new Map<string, Uint8Array>()

/** A form of the OpenAPI document, made when it is first asked for. */
function openApiRoute(
  about: Pick<Route, 'path' | 'operationId' | 'summary'>,
  form: (document: SchemaJson) => SchemaJson,
): Route {
  return {
    ...about,
    method: 'GET',
    tag: 'Documentation',
    scope: null,
    responses: { 200: { description: 'The document.', schema: AnyObject } },
    serve(exchange, _params, app) {
      const { name } = app.service
      const key = `${about.path} ${name}`
      let bytes = documents.get(key)
      if (bytes === undefined)
        documents.set(key, (bytes = keptAnswer(Buffer.from(JSON.stringify(form(openApiDocument(routes, name)))))))
      exchange.reply('200 OK', json, bytes)
    },
  }
}

const openApi = openApiRoute(
  { path: '/openapi.json', operationId: 'getOpenApi', summary: 'Get this API as OpenAPI 3.1' },
  (document) => document,
)

const simpleOpenApi = openApiRoute(
  {
    path: '/openapi/simple.json',
    operationId: 'getSimpleOpenApi',
    summary: 'Get this API as OpenAPI 3.1, without unions of one value and a list',
  },
  simpleDocument,
)

const root: Route = {
  method: 'GET',
  path: '/',
  operationId: 'getRoot',
  tag: 'Documentation',
  summary: 'Get links to pages and documentation',
  description: 'A browser gets the console.',
  scope: null,
  responses: {
    200: {
      description: 'Links.',
      schema: ServiceLinks,
    },
  },
  serve(exchange, _params, app) {
    if (wantsPage(exchange, app)) return servePage(exchange)
    replyJson(exchange, 200, {
      name: app.service.name,
      pages: app.sessions === null ? '/docs' : '/jobs',
      documentation: '/docs/exposer',
      manual: '/docs',
      openapi: '/openapi.json',
    })
  },
}

export { consoleRoutes }

export const routes: readonly Route[] = [
  ...eventRoutes,
  ...explanationRoutes,
  ...feedbackRoutes,
  ...labelRoutes,
  ...analystRoutes,
  ...alertmanagerRoutes,
  ...inboundRoutes,
  ...storedEventRoutes,
  ...reprocessRoutes,
  ...jobRoutes,
  ...resourceRoutes,
  ...integrationMetadataRoutes,
  ...userRoutes,
  ...eraseRoutes,
  ...tokenRoutes,
  ...healthRoutes,
  ...integrationRoutes,
  ...auditRoutes,
  ...autonomyRoutes,
  ...consensusRoutes,
  ...clusterRoutes,
  ...queryRoutes,
  ...listRoutes,
  ...eventFileRoutes,
  ...fileWarningRoutes,
  ...voteTaskRoutes,
  ...sampleRoutes,
  ...handlingRoutes,
  ...streamRoutes,
  ...metricsRoutes,
  ...metricsReportRoutes,
  ...decisionRoutes,
  ...challengerRoutes,
  ...registryRoutes,
  ...replayRoutes,
  ...docRoutes,
  ...manualRoutes,
  ...consoleRoutes,
  ...probeRoutes,
  ...prometheusRoutes,
  ...backupRoutes,
  ...containerRoutes,
  ...platformRoutes,
  ...watchdogRoutes,
  ...mcpRoutes,
  openApi,
  simpleOpenApi,
  root,
]

/** The routes of the port for operators. */
export const opsRoutes: readonly Route[] = [...probeRoutes, ...openPrometheusRoutes]
