/** Probes for the system that runs the service: is the process alive, and should it get requests. */
import { Refusal } from '../../../engine/index.js'
import { replyRefusal } from '../../http/error-reply.js'
import { replyJson } from '../../http/reply.js'
import type { Route } from '../../http/route.js'
import { Alive, Ready } from '../../schemas/health.js'

const tag = 'Health'

const livez: Route = {
  method: 'GET',
  path: '/livez',
  operationId: 'getLiveness',
  tag,
  summary: 'Probe whether the process is alive',
  description: 'Restart the process if it does not answer in time.',
  scope: null,
  isProbe: true,
  responses: { 200: { description: 'The process is alive.', schema: Alive, example: { status: 'alive' } } },
  serve: (exchange) => replyJson(exchange, 200, { status: 'alive' }),
}

const readyz: Route = {
  method: 'GET',
  path: '/readyz',
  operationId: 'getReadiness',
  tag,
  summary: 'Probe whether the service is ready for requests',
  scope: null,
  isProbe: true,
  responses: { 200: { description: 'The service is ready.', schema: Ready, example: { status: 'ready' } } },
  errors: [503],
  serve(exchange, _params, { state, node }) {
    if (state === 'ready') replyJson(exchange, 200, { status: state, ...node?.() })
    else replyRefusal(exchange, new Refusal('not_ready', `the service is ${state}`))
  },
}

export const probeRoutes: readonly Route[] = [livez, readyz]
