/** Events: send, read, export (CONTRACT.md#events). */
import { limits, type Principal } from '../../engine/index.js'
import type { App } from '../app.js'
import { stillAuthorized } from '../http/auth.js'
import { collectBody } from '../http/body.js'
import { replyError } from '../http/error-reply.js'
import { whileHeld } from '../http/held-bytes.js'
import { json, ndjson, replyJson } from '../http/reply.js'
import type { GuardedRoute, Route } from '../http/route.js'
import { StatusOnly } from '../schemas/common.js'
import {
  EventLine,
  EventView,
  HistoricEvents,
  IngestedEvent,
  NewEvent,
  PostEventQuery,
  ResultLine,
} from '../schemas/events.js'
import { ExportedEvent } from '../schemas/exported-event.js'
import { postEventLines } from './bulk/bulk-stream.js'
import { postEvent } from './event-post.js'
import { givenUpload } from './event-origin.js'
import { eventBytes } from './event-wire.js'
import { jobForPosts, jobFromPath } from './job-reference.js'

const tag = 'Events'
const newEventExample = { job_id: 1, raw_body: { source: { ip: '192.0.2.7' }, rule: 'Impossible travel' } }
const ingestedExample = {
  event_id: '001k0t2gzy8gd',
  job_id: 1,
  ingest_timestamp: '2026-01-31T09:05:00.000123Z',
  status: 'pending_inference',
  error_message: null,
}
const resultExample = {
  event_id: '001k0t2gzy8gd',
  ingest_timestamp: '2026-01-31T09:05:00.000123Z',
  status: 'OK',
  result: 'label_0',
  result_label: 'Escalate',
  error_message: null,
  bucket_state: 'in_knowledge_base',
  outlier: false,
  confidence_score: 97.25,
}

const ingested = {
  201: { description: 'The event is stored durably.', schema: IngestedEvent, example: ingestedExample },
}

const post: GuardedRoute = {
  method: 'POST',
  path: '/api/v1/events/',
  operationId: 'postEvent',
  tag,
  summary: 'Send an event',
  description:
    'The answer is sent when the event is on disk. The decision follows; GET shows it. With `wait=true` the answer ' +
    'has the decision. An event has at most 8 MiB, 200,000 fields and 10,000 different names of them.',
  scope: 'write:events',
  query: PostEventQuery,
  body: NewEvent,
  bodyExample: newEventExample,
  responses: ingested,
  errors: [404, 409, 507],
  serve: postEvent,
}

const postWithId: GuardedRoute = {
  ...post,
  path: '/api/v1/events/{event_id}',
  operationId: 'postEventWithId',
  isIdempotent: true,
  summary: 'Send an event under an id of your own',
  description: 'The same body again is the same event; a different body is a new version of it.',
}

const postLines: GuardedRoute = {
  method: 'POST',
  path: '/api/v1/events/_bulk',
  operationId: 'postEventLines',
  tag,
  summary: 'Send a stream of events',
  description:
    'Send one event per line, with or without gzip. The answer has one result per line, in the same order, as events ' +
    'are decided. A bad line affects no other line. Blank lines are skipped.\n\n' +
    'Read the answer while sending: the input of a client that does not read is paused, and later its connection is ' +
    'closed. A connection is also closed if nothing is sent for five minutes.',
  scope: 'write:events',
  body: EventLine,
  bodyMediaType: ndjson,
  bodyExample: newEventExample,
  responses: { 200: { description: 'One result per line.', schema: ResultLine, mediaType: ndjson } },
  serve: postEventLines,
}

/**
 * The answer to GET of an event; its bytes are valid until the next one. @throws Refusal job_not_found,
 * event_not_found.
 */
export function eventAnswer(app: App, principal: Principal, jobId: string, eventId: string): Uint8Array {
  const job = jobFromPath(app, principal, jobId)
  const view = app.service.event(job, eventId)
  const isShown = view.autonomy === 'review' && principal.scopes.has('write:autonomy')
  const isAudit = isShown && app.service.autonomy.isAudit(job, eventId)
  return eventBytes(isAudit ? { ...view, autonomy: 'audit' } : view)
}

const get: GuardedRoute = {
  method: 'GET',
  path: '/api/v1/events/{job_id}/{event_id}',
  operationId: 'getEvent',
  tag,
  summary: 'Get an event with its decision',
  scope: 'public',
  responses: { 200: { description: 'The event.', schema: EventView, example: resultExample } },
  errors: [404],
  serve(exchange, params, app, principal) {
    exchange.reply('200 OK', json, eventAnswer(app, principal, params[0]!, params[1]!))
  },
}

const exportEvent: GuardedRoute = {
  method: 'GET',
  path: '/api/v1/events/{job_id}/{event_id}/export',
  operationId: 'exportEvent',
  tag,
  summary: 'Export an event with everything known about it',
  scope: 'read:event_export',
  responses: { 200: { description: 'The event.', schema: ExportedEvent } },
  errors: [404],
  serve(exchange, params, app, principal) {
    const gone = new AbortController()
    const answer = app.service.exportEvent(jobFromPath(app, principal, params[0]!), params[1]!, gone.signal)
    if (typeof answer === 'string') return exchange.reply('200 OK', json, answer)
    exchange.hold(() => gone.abort())
    answer.then(
      (text) => exchange.reply('200 OK', json, text),
      (error: unknown) => replyError(exchange, error),
    )
  },
}

const historic: GuardedRoute = {
  method: 'POST',
  path: '/api/v1/bulk/{job_id}',
  operationId: 'postHistoricEvents',
  tag,
  summary: 'Send historic events with their labels',
  description:
    'Either all events are stored, or none. If there is no answer, send the same request again: its events are not ' +
    'stored twice. Requests with the same `X-Upload-Id` count as one.',
  scope: 'write:events',
  body: HistoricEvents,
  bodyExample: {
    count: 2,
    events: [
      {
        job_id: 1,
        title: 'Impossible travel',
        raw_body: { source: { ip: '192.0.2.7' } },
        label: { cortex_user: 'ann', feedback: 'Escalate' },
      },
      { job_id: 1, raw_body: { source: { ip: '192.0.2.8' } } },
    ],
  },
  responses: { 201: { description: 'The events are stored.', schema: StatusOnly, example: { status: 'ok' } } },
  errors: [404, 409, 507],
  serve(exchange, params, app, principal) {
    const job = jobForPosts(app, principal, params[0]!)
    const upload = givenUpload(exchange, principal)
    const gone = new AbortController()
    collectBody(exchange, limits.bodyBytesMax, () => gone.abort())
      .then((bytes) => {
        const by = stillAuthorized(exchange, app, 'write:events')
        const how = { upload, gone: gone.signal }
        return whileHeld(bytes.length, () => app.service.ingestHistoric(job, bytes, by, how))
      })
      .then(() => replyJson(exchange, 201, { status: 'ok' }))
      .catch((error: unknown) => replyError(exchange, error))
  },
}

export const eventRoutes: readonly Route[] = [post, postLines, postWithId, get, exportEvent, historic]
