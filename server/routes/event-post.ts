/**
 * One event over HTTP: the most frequent request, so it has its own code path.
 *
 * One object receives both the body and the engine's result: a request costs one object and no promise. Only the job id
 * is read from the body here. The engine copies the body and parses it on the job's thread.
 */
import {
  limits,
  type EventView,
  type IngestReceiver,
  type JobHandle,
  type Principal,
  type Refusal,
} from '../../engine/index.js'
import type { App } from '../app.js'
import { stillAuthorized } from '../http/auth.js'
import { BodyCollector, type CollectedBody } from '../http/body.js'
import { replyError, replyRefusal } from '../http/error-reply.js'
import type { Exchange } from '../http/exchange.js'
import { heldBodies } from '../http/held-bytes.js'
import { json } from '../http/reply.js'
import type { RequestTrace } from '../http/request-trace.js'
import { Checker } from '../http/validate.js'
import { answerWhenDecided } from './decision-wait.js'
import { PostEventQuery } from '../schemas/events.js'
import { originOf } from './event-origin.js'
import { ingestedBytes } from './event-wire.js'
import { jobIdOf, untilKnown } from './job-reference.js'

/**
 * A key is checked again only if the body took longer than this: a second check for every event would cost too much.
 */
const SOON_MS = 1_000

const postQuery = new Checker(PostEventQuery, 'query')

class EventPost implements CollectedBody, IngestReceiver {
  readonly #exchange: Exchange
  readonly #app: App
  readonly #principal: Principal
  readonly #eventId: string | null
  /** `wait=true`: the answer has the decision. */
  readonly #waits: boolean
  #job: JobHandle | null = null
  #isGone = false

  // biome-ignore lint/complexity/useMaxParams: made for every event, so without an object for its arguments.
  constructor(exchange: Exchange, app: App, principal: Principal, eventId: string | null, waits: boolean) {
    this.#exchange = exchange
    this.#app = app
    this.#principal = principal
    this.#eventId = eventId
    this.#waits = waits
  }

  collected(bytes: Uint8Array): void {
    try {
      this.#take(bytes)
    } catch (error) {
      const known = untilKnown(this.#app, error, this.#exchange.startedMs)
      if (known === null || !heldBodies.take(bytes.length)) return replyError(this.#exchange, error)
      const kept = Buffer.from(bytes)
      void known.then(() => this.#takeKept(kept))
    }
  }

  #take(bytes: Uint8Array): void {
    const { service } = this.#app
    if (performance.now() - this.#exchange.startedMs > SOON_MS)
      stillAuthorized(this.#exchange, this.#app, 'write:events')
    const job = service.jobForPosts(this.#principal, jobIdOf(bytes))
    this.#exchange.stopReading()
    if (this.#waits) this.#job = job
    service.ingest(job, this.#eventId, this.#eventId === null, bytes, this)
  }

  #takeKept(kept: Buffer): void {
    heldBodies.giveBack(kept.length)
    if (this.#isGone) return
    try {
      this.#take(kept)
    } catch (error) {
      replyError(this.#exchange, error)
    }
  }

  gone(): void {
    this.#isGone = true
  }

  uncollected(refusal: Refusal): void {
    replyRefusal(this.#exchange, refusal)
  }

  get isAlone(): boolean {
    return true
  }

  get origin(): Uint8Array {
    return originOf(this.#principal)
  }

  get trace(): RequestTrace | null {
    return this.#exchange.trace
  }

  ingested(view: EventView): void {
    this.#exchange.trace?.decided(view)
    if (this.#job !== null) return answerWhenDecided(this.#exchange, this.#app, this.#job, view)
    this.#exchange.reply('201 Created', json, ingestedBytes(view, this.#app.emptyErrorMessage))
  }

  refused(refusal: Refusal): void {
    replyRefusal(this.#exchange, refusal)
  }
}

/** Serves the POST of an event. The first path parameter is the event id, if the path has one. */
export function postEvent(exchange: Exchange, params: readonly string[], app: App, principal: Principal): void {
  const query = exchange.query()
  const waits = query !== '' && postQuery.checkQuery(query).wait === true
  const post = new EventPost(exchange, app, principal, params[0] ?? null, waits)
  exchange.onBody(new BodyCollector(limits.eventBytesMax, post, exchange.charset))
}
