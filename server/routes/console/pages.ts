/**
 * The addresses of the console. Clients write some of them into incidents (C3.12), and answers of `/api/v2/resources`
 * hold them as `url`. One page serves all of them; its scripts (server/console/) read the API.
 */
import type { Route } from '../../http/route.js'
import { serveFile, servePage } from '../console-files.js'
import { sessionRoutes } from './session.js'
import { signOnRoutes } from '../../sso/routes.js'
import { tag } from './tag.js'

function page(path: string, operationId: string, summary: string): Route {
  return {
    method: 'GET',
    path,
    operationId,
    tag,
    summary,
    description: 'A page for people. It asks them to sign in, and shows what they may see.',
    scope: null,
    responses: { 200: { description: 'A page.', mediaType: 'text/html' } },
    serve: (exchange) => servePage(exchange),
  }
}

const file: Route = {
  method: 'GET',
  path: '/console/{file}',
  operationId: 'getConsoleFile',
  tag,
  summary: 'Get a file that the pages load',
  scope: null,
  responses: { 200: { description: 'The file.', mediaType: '*/*' } },
  errors: [404],
  serve: (exchange, params) => serveFile(exchange, params[0] as string),
}

export const consoleRoutes: readonly Route[] = [
  page('/jobs', 'getJobsPage', 'Page of all jobs'),
  page('/jobs/{job_id}', 'getJobAddressPage', 'Page of a job; `new` makes one'),
  page('/jobs/feedback-flow/{job_id}', 'getFeedbackPage', 'Page to vote on what needs people'),
  page('/use-cases/overview/{job_id}', 'getJobPage', 'Page of a job, with its metrics'),
  page('/jobs/{job_id}/{view}', 'getJobViewPage', 'Page of the events, buckets or clusters of a job'),
  page('/jobs/{job_id}/{view}/{item_id}', 'getJobItemPage', 'Page of an event, a bucket or a cluster'),
  page('/integrations', 'getIntegrationsPage', 'Page of integrations and deliveries'),
  page('/integrations/{integration_id}/edit', 'getIntegrationPage', 'Page to view and change an integration'),
  page('/operations', 'getOperationsPage', 'Page of components, watchdogs and backups'),
  page('/audit', 'getAuditPage', 'Page of the audit log'),
  page('/people', 'getPeoplePage', 'Page of users'),
  page('/api-keys', 'getKeysPage', 'Page to make and delete API keys'),
  file,
  ...sessionRoutes,
  ...signOnRoutes,
]
