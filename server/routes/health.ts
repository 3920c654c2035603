/** Whether the service is there. */
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
  description: 'A wrong key is told in the answer, not in the status.',
  scope: null,
  looksAtKey: true,
  responses: {
    200: {
      description: 'Both false for a wrong key.',
      schema: Type.Object({ status: Type.Boolean(), connected: Type.Boolean() }),
      example: { status: true, connected: true },
    },
  },
  serve(exchange, _params, app) {
    const known = principalOf(exchange, app) !== null
    replyJson(exchange, 200, { status: known, connected: known })
  },
}

/** In the public documentation of before. */
const healthBefore: Route = {
  ...health,
  path: '/api/v1/health/check',
  operationId: 'checkHealth',
  summary: 'The same, where it was before',
}

const managedHealth = operation({
  method: 'GET',
  path: '/api/v2/health',
  operationId: 'getManagedHealth',
  tag,
  summary: 'Check the service',
  scope: 'public',
  responses: { 200: { description: 'It is well.', schema: Outcome, example: worked } },
  handle: () => worked,
})

export const healthRoutes: readonly Route[] = [health, healthBefore, managedHealth]
