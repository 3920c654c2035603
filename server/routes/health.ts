/** Health checks for clients. */
import { Type } from 'typebox'
import { principalOf } from '../http/auth.js'
import { replyJson } from '../http/reply.js'
import { operation, type Route } from '../http/route.js'
import { Outcome, worked } from '../schemas/common.js'

const tag = 'Health'

const health: Route = {
  method: 'GET',
  path: '/api/v1/health',
  operationId: 'getHealth',
  tag,
  summary: 'Check the service and the key',
  description: 'The status is 200 even for a wrong key; the answer says whether the key is valid.',
  scope: null,
  looksAtKey: true,
  responses: {
    200: {
      description: 'Both fields are false for a wrong key.',
      schema: Type.Object({ status: Type.Boolean(), connected: Type.Boolean() }),
      example: { status: true, connected: true },
    },
  },
  serve(exchange, _params, app) {
    const known = principalOf(exchange, app) !== null
    replyJson(exchange, 200, { status: known, connected: known })
  },
}

/** The path in older documentation. */
const olderHealth: Route = {
  ...health,
  path: '/api/v1/health/check',
  operationId: 'checkHealth',
  summary: 'Check the service and the key (older path)',
}

const managedHealth = operation({
  method: 'GET',
  path: '/api/v2/health',
  operationId: 'getManagedHealth',
  tag,
  summary: 'Check the service',
  scope: 'public',
  responses: { 200: { description: 'The service is healthy.', schema: Outcome, example: worked } },
  handle: () => worked,
})

export const healthRoutes: readonly Route[] = [health, olderHealth, managedHealth]
