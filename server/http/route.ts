/**
 * One operation of the API: its documentation, and how it is served.
 *
 * Owns: the type of a route, and the steps of an ordinary request: body, schema, handler, answer. Leaves out: paths
 * (router.ts), keys and scopes (auth.ts), requests with their own code path (routes/event-post.ts).
 *
 * 1. The key is checked before the body is read, and again when the body has arrived.
 * 2. The schemas that OpenAPI publishes validate query and body.
 */
import type { Static, TObject, TSchema } from 'typebox'
import { limits, valuesMaxOf, type Principal, type Scope } from '../../engine/index.js'
import type { App } from '../app.js'
import { stillAuthorized } from './auth.js'
import { collectBody } from './body.js'
import { replyError } from './error-reply.js'
import type { Exchange } from './exchange.js'
import { originOf } from './origin.js'
import { replyJson } from './reply.js'
import { Checker, parseJson } from './validate.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One status that an operation answers with. */
export interface ResponseDoc {
  readonly description: string
  readonly schema?: TSchema
  /** Default `application/json`. */
  readonly mediaType?: string
  /** The answer in other forms, by media type. */
  readonly also?: Readonly<Record<string, TSchema>>
  readonly example?: unknown
}

/** The documentation of an operation. */
export interface RouteDoc {
  /** True if it is answered during a drain too. */
  readonly isProbe?: boolean
  readonly method: Method
  /** As in OpenAPI, with parameters in braces. */
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** A POST that changes nothing more when it is sent again. Clients may repeat it. */
  readonly isIdempotent?: true
  /** Its senders give up after 429: they are told 503 for all that a retry can mend (S37). */
  readonly busyIs503?: true
  /** The scope that the caller needs; null: no key needed. */
  readonly scope: Scope | null
  /** No key is needed, but one that is sent is checked. */
  readonly looksAtKey?: true
  /** Further scopes that parts of the operation need, and for what. */
  readonly moreScopes?: Readonly<Partial<Record<Scope, string>>>
  readonly query?: TObject
  readonly body?: TSchema
  /** Default `application/json`. */
  readonly bodyMediaType?: string
  readonly bodyExample?: unknown
  /** Answers by status. openapi.ts adds the errors that every operation has. */
  readonly responses: Readonly<Record<number, ResponseDoc>>
  /** Statuses of its own refusals, in addition to those that openapi.ts derives from the other fields. */
  readonly errors?: readonly number[]
}

/** An operation that needs no key. */
export interface OpenRoute extends RouteDoc {
  readonly scope: null
  /** Answers or holds the exchange before it returns. */
  serve(exchange: Exchange, params: readonly string[], app: App): void
}

/** An operation that needs a scope. server.ts checks the scope before it serves the operation. */
export interface GuardedRoute extends RouteDoc {
  readonly scope: Scope
  /** Answers or holds the exchange before it returns. */
  serve(exchange: Exchange, params: readonly string[], app: App, principal: Principal): void
}

/** A row in the table of routes. */
export type Route = OpenRoute | GuardedRoute

/** The argument of an operation's handler. */
export interface Call<Q extends TObject, B extends TObject> {
  readonly app: App
  readonly principal: Principal
  /** Path parameters, decoded, in order. */
  readonly params: readonly string[]
  readonly query: Static<Q>
  readonly body: Static<B>
  /** The client's address (exchange.ts). Call it before the first await. */
  readonly address: () => string
  /** The service's address as the client sees it (origin.ts). Without a body: call it before the first await. */
  readonly origin: () => string
  /** Aborted if the client disconnects before it is answered. Call it before the first await. */
  readonly gone: () => AbortSignal
}

/** An ordinary operation: its handler returns the answer's document, or a promise of it. */
interface Operation<Q extends TObject, B extends TObject> extends RouteDoc {
  readonly scope: Scope
  readonly query?: Q
  readonly body?: B
  /** Default `limits.requestBytesMax`. */
  readonly bodyBytesMax?: number
  /** The status of the answer; default 200. */
  readonly status?: number
  handle(call: Call<Q, B>): unknown
}

/** Tells an operation that its client disconnected. The signal is made on demand: most operations need none. */
class Client {
  #controller: AbortController | null = null

  get isWatched(): boolean {
    return this.#controller !== null
  }

  readonly gone = (): AbortSignal => (this.#controller ??= new AbortController()).signal
  readonly left = (): void => this.#controller?.abort()
}

/** Makes a route from an ordinary operation. */
export function operation<Q extends TObject, B extends TObject>(spec: Operation<Q, B>): GuardedRoute {
  const queryChecker = spec.query === undefined ? null : new Checker(spec.query, 'query')
  const bodyChecker = spec.body === undefined ? null : new Checker(spec.body, 'body')
  const status = spec.status ?? 200
  const { handle, bodyBytesMax = limits.requestBytesMax, ...doc } = spec
  const valuesMax = valuesMaxOf(bodyBytesMax)

  function answer(exchange: Exchange, call: Call<Q, B>, client: Client): void {
    const result = handle(call)
    if (!(result instanceof Promise)) return replyJson(exchange, status, result)
    exchange.hold(client.left)
    if (!client.isWatched) exchange.stopReading()
    result.then(
      (document) => replyJson(exchange, status, document),
      (error: unknown) => replyError(exchange, error),
    )
  }

  function serve(exchange: Exchange, params: readonly string[], app: App, principal: Principal): void {
    const address = (): string => exchange.address()
    const origin = (): string => originOf(exchange, app.servesTls)
    const query = (queryChecker?.checkQuery(exchange.query()) ?? {}) as Static<Q>
    const client = new Client()
    const { gone } = client
    if (bodyChecker === null)
      return answer(exchange, { app, principal, params, query, body: {} as Static<B>, address, origin, gone }, client)
    collectBody(exchange, bodyBytesMax, client.left)
      .then((bytes) => {
        const now = stillAuthorized(exchange, app, spec.scope)
        const body = bodyChecker.check(parseJson(bytes, valuesMax))
        answer(exchange, { app, principal: now, params, query, body, address, origin, gone }, client)
      })
      .catch((error: unknown) => replyError(exchange, error))
  }

  return { ...doc, serve }
}
