/** `GET /api/v2/events/stream`: what happens in jobs, as server-sent events or over a WebSocket. */
import type { Static } from 'typebox'
import { limits, type Principal, type StreamQuery as EngineQuery } from '../../../engine/index.js'
import type { App } from '../../app.js'
import { stillAuthorized } from '../../http/auth.js'
import type { Exchange } from '../../http/exchange.js'
import type { Route } from '../../http/route.js'
import { Checker, filtersIn } from '../../http/validate.js'
import { StreamMessage, StreamQuery } from '../../schemas/live/stream.js'
import { filtersOf } from '../queries.js'
import { serveEvents } from './event-stream.js'
import { serveSocket } from './socket-stream.js'

const path = '/api/v2/events/stream'
const scope = 'read:event_query'
const checker = new Checker(StreamQuery, 'query')

/** Where GET may become a WebSocket. */
export const socketPaths: readonly string[] = [path, `${path}/`]

/** What the key of a stream may do is checked as long as the stream lives. @throws Refusal unauthorized, forbidden. */
function stillMay(exchange: Exchange, app: App): () => void {
  return () => void stillAuthorized(exchange, app, scope)
}

function queryOf(
  exchange: Exchange,
  query: Static<typeof StreamQuery>,
  principal: Principal,
): Omit<EngineQuery, 'form'> {
  const filters = filtersOf(
    { filters: query.filters === undefined ? undefined : filtersIn(query.filters), query: query.query },
    principal,
  )
  const after = exchange.header('last-event-id') || query.last_event_id
  return {
    ...(query.job_id === undefined ? {} : { jobIds: query.job_id }),
    ...(query.types === undefined ? {} : { types: query.types }),
    ...(filters === undefined ? {} : { filters }),
    ...(after === undefined ? {} : { after }),
  }
}

function serve(exchange: Exchange, _params: readonly string[], app: App, principal: Principal): void {
  const query = queryOf(exchange, checker.checkQuery(exchange.query()), principal)
  const context = { exchange, app, principal, query, check: stillMay(exchange, app) }
  if (exchange.header('upgrade').toLowerCase() === 'websocket') serveSocket(context)
  else serveEvents(context)
}

const stream: Route = {
  method: 'GET',
  path,
  operationId: 'streamEvents',
  tag: 'Queries',
  summary: 'Follow decisions, votes, trainings and clusters as they happen',
  description:
    'Server-sent events without end. Each message has an `id`; a client that gives the last one back, as ' +
    '`Last-Event-ID` or `last_event_id`, goes on where it broke off: messages are read from the store, so none is ' +
    'lost and none comes twice. Without it the stream begins now, and the first message is `ready`. `gap` says that ' +
    'decisions that were made again more than a day ago are no longer kept. A heartbeat comes every ' +
    `${limits.streamBeatMs / 1000} seconds. A client that reads slowly falls behind and catches up; one that reads ` +
    'nothing for a minute is disconnected. The same address is a WebSocket where it is asked for one: each text ' +
    'message is one JSON object with `id`, `type` and `data`.',
  scope,
  query: StreamQuery,
  responses: {
    200: { description: 'Messages, one after another.', schema: StreamMessage, mediaType: 'text/event-stream' },
  },
  errors: [404, 501],
  serve,
}

export const streamRoutes: readonly Route[] = [stream]
