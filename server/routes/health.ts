/** Health checks for clients. */
import { Refusal } from '../../engine/index.js'
import { principalOf } from '../http/auth.js'
import { replyRefusal } from '../http/error-reply.js'
import { replyJson } from '../http/reply.js'
import { operation, type Route } from '../http/route.js'
import { Outcome, worked } from '../schemas/common.js'
import { KeyState } from '../schemas/health.js'

const tag = 'Health'

const health: Route = {
  method: 'GET',
  path: '/api/v1/health',
  operationId: 'getHealth',
  tag,
  summary: 'Check the service and the key',
  description: 'The status says whether the key is valid, and so does the answer, which has one form for both.',
  scope: null,
  looksAtKey: true,
  responses: {
    200: {
      description: 'The key is valid.',
      schema: KeyState,
      example: { status: true, connected: true },
    },
    401: {
      description: 'The key is missing or unknown.',
      schema: KeyState,
      example: { status: false, connected: false },
    },
  },
  serve(exchange, _params, app) {
    const known = principalOf(exchange, app) !== null
    if (!known && exchange.wantsProblem)
      return replyRefusal(exchange, new Refusal('unauthorized', `missing or invalid API key (header ${app.keyHeader})`))
    replyJson(exchange, known ? 200 : 401, { status: known, connected: known })
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
  description:
    'Where the clock of the machine was set back, the status is OK, the reason is `clock_behind`, and ' +
    '`reason_details` has a sentence.',
  responses: { 200: { description: 'The service is healthy.', schema: Outcome, example: worked } },
  handle: ({ app }) => {
    const { clockTrouble } = app.service.monitor
    return clockTrouble === null ? worked : { status: 'OK', reason: 'clock_behind', reason_details: clockTrouble }
  },
})

export const healthRoutes: readonly Route[] = [health, olderHealth, managedHealth]
