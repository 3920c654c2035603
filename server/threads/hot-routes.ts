/**
 * The requests that an HTTP thread serves itself: events, one or a stream of them, the decision of an event, votes.
 *
 * Owns: which requests these are. Leaves out: all others (passed-request.ts), the check of keys and jobs
 * (main-lane.ts).
 *
 * 1. A request is served here only with a key in its headers that the main thread knows, with the scope that it needs,
 *    and without a query. All others are passed on, and so get the same answers as with one thread.
 */
import {
  limits,
  requestOf,
  valuesMaxOf,
  type DecisionService,
  type IngestReceiver,
  type Principal,
  type Refusal,
} from '../../engine/index.js'
import type { App } from '../app.js'
import { BodyCollector, type CollectedBody } from '../http/body.js'
import { replyError, replyRefusal } from '../http/error-reply.js'
import type { Exchange } from '../http/exchange.js'
import { json } from '../http/reply.js'
import { Router } from '../http/router.js'
import type { Traffic, RouteMeter } from '../http/traffic.js'
import { Checker, parseJson } from '../http/validate.js'
import { postEventLines } from '../routes/bulk/bulk-stream.js'
import { postEvent } from '../routes/event-post.js'
import { Feedback } from '../schemas/feedback.js'
import type { Scope } from '../../engine/index.js'
import { asks } from './records.js'
import type { JsonReceiver, ThreadLane } from './thread-lane.js'

/** What an HTTP thread serves with. */
export interface HotApp {
  readonly app: App
  readonly lane: ThreadLane
}

/** One operation that is served here. */
export interface HotRoute {
  readonly scope: Scope
  readonly meter: RouteMeter
  serve(exchange: Exchange, params: readonly string[], hot: HotApp, principal: Principal): void
}

/** A job as this thread knows it: the main thread knows whether there is one. */
interface NamedJob {
  readonly id: number
  readonly secret: string
}

const JOB_ID = /^\d{1,15}$/
const voteChecker = new Checker(Feedback, 'body')
const voteValuesMax = valuesMaxOf(limits.requestBytesMax)

/** The part of the engine that the code of these routes uses. `stream`: its number, or 0. */
function laneService(lane: ThreadLane, stream: number): DecisionService {
  const kind = stream === 0 ? asks.event : asks.line
  const part: Pick<DecisionService, 'authenticate'> & {
    jobForPosts(principal: Principal, id: number): NamedJob
    ingest(job: NamedJob, eventId: string | null, inBody: boolean, body: Uint8Array, receiver: IngestReceiver): void
  } = {
    authenticate: (secret) => lane.principalOf(secret),
    jobForPosts: (principal, id) => ({ id, secret: lane.secretOf(principal) }),
    // biome-ignore lint/complexity/useMaxParams: as DecisionService.
    ingest: ({ id, secret }, eventId, _inBody, body, receiver) =>
      lane.post({ kind, secret, job: id, stream, request: requestOf(receiver.origin), eventId, body }, receiver),
  }
  return part as unknown as DecisionService
}

/** What these routes get as the engine. */
export function singleService(lane: ThreadLane): DecisionService {
  return laneService(lane, 0)
}

/** Answers with JSON of the main thread. */
class JsonAnswer implements JsonReceiver {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  told(text: Uint8Array): void {
    this.#exchange.reply('200 OK', json, Buffer.from(text))
  }

  refused(refusal: Refusal): void {
    replyRefusal(this.#exchange, refusal)
  }
}

/** A vote: its body is checked here. */
class VoteBody extends JsonAnswer implements CollectedBody {
  readonly #exchange: Exchange
  readonly #post: (body: Uint8Array) => void

  constructor(exchange: Exchange, post: (body: Uint8Array, receiver: JsonReceiver) => void) {
    super(exchange)
    this.#exchange = exchange
    this.#post = (body) => post(body, this)
  }

  collected(bytes: Uint8Array): void {
    try {
      const vote = voteChecker.check(parseJson(bytes, voteValuesMax))
      this.#exchange.stopReading()
      this.#post(Buffer.from(JSON.stringify(vote)))
    } catch (error) {
      replyError(this.#exchange, error)
    }
  }

  uncollected(refusal: Refusal): void {
    replyRefusal(this.#exchange, refusal)
  }
}

type Serve = HotRoute['serve']

function getEvent(exchange: Exchange, params: readonly string[], { lane }: HotApp): void {
  exchange.hold()
  exchange.stopReading()
  const request = { kind: asks.get, secret: exchange.key, stream: 0, body: new Uint8Array(0) } as const
  lane.post({ ...request, job: Number(params[0]), eventId: params[1]! }, new JsonAnswer(exchange))
}

function giveVote(exchange: Exchange, params: readonly string[], { lane }: HotApp): void {
  const { key: secret } = exchange
  const post = (body: Uint8Array, receiver: JsonReceiver): void =>
    lane.post({ kind: asks.vote, secret, job: Number(params[0]), stream: 0, eventId: params[1]!, body }, receiver)
  exchange.onBody(new BodyCollector(limits.requestBytesMax, new VoteBody(exchange, post), exchange.charset))
}

let streams = 0

function postLines(exchange: Exchange, params: readonly string[], { app, lane }: HotApp, principal: Principal): void {
  streams = (streams % 0xfffffff0) + 1
  postEventLines(exchange, params, { ...app, service: laneService(lane, streams) }, principal)
}

const postOne: Serve = (exchange, params, { app }, principal) => postEvent(exchange, params, app, principal)

export function hotTable(traffic: Traffic): Router<HotRoute> {
  const table = new Router<HotRoute>()
  const add = (method: string, path: string, scope: Scope, serve: Serve): void =>
    table.add(method, path, { scope, serve, meter: traffic.meter(method, path) })
  add('POST', '/api/v1/events/', 'write:events', postOne)
  add('POST', '/api/v1/events/_bulk', 'write:events', postLines)
  add('POST', '/api/v1/events/{event_id}', 'write:events', postOne)
  add('GET', '/api/v1/events/{job_id}/{event_id}', 'public', getEvent)
  add('PUT', '/api/v1/events/{job_id}/{event_id}/feedback', 'write:event_feedback', giveVote)
  return table
}

/** True where the ids in the path can be those of an event; the main thread answers for all others. */
export function namesEvent(params: readonly string[]): boolean {
  const [job = '', event = ''] = params
  return params.length < 2 || (JOB_ID.test(job) && Buffer.byteLength(event) <= limits.eventIdBytesMax)
}
