/**
 * One operation of the API: what is published of it, and how it is served.
 *
 * Owns: the shape of a row in the table of routes, and the way of an ordinary request: body, schema, handler, answer.
 * Leaves out: paths (router.ts), keys and scopes (auth.ts, before a route is served), busy requests, which serve themselves (routes/event-post.ts).
 *
 * 1. The key is checked before the body is read, and once more when it has come.
 * 2. Query and body are checked by the schemas that OpenAPI publishes.
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
  /** `application/json` where not said otherwise. */
  readonly mediaType?: string
  readonly example?: unknown
}

/** What is published of an operation. */
export interface RouteDoc {
  /** Answered during a drain too. */
  readonly isProbe?: boolean
  readonly method: Method
  /** As in OpenAPI, parameters in braces. */
  readonly path: string
  readonly operationId: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** null: no key needed. */
  readonly scope: Scope | null
  /** No key is needed, but one that is sent is looked at. */
  readonly looksAtKey?: true
  /** Scopes that a part of the operation asks for beside, and for what. */
  readonly moreScopes?: Readonly<Partial<Record<Scope, string>>>
  readonly query?: TObject
  readonly body?: TSchema
  /** `application/json` where not said otherwise. */
  readonly bodyMediaType?: string
  readonly bodyExample?: unknown
  /** By status; the error answers that every operation has are added by openapi.ts. */
  readonly responses: Readonly<Record<number, ResponseDoc>>
  /** Statuses of its own refusals, beside those that openapi.ts reads off the other fields. */
  readonly errors?: readonly number[]
}

/** An operation for everybody. */
export interface OpenRoute extends RouteDoc {
  readonly scope: null
  /** Answers or holds the exchange before it returns. */
  serve(exchange: Exchange, params: readonly string[], app: App): void
}

/** An operation for whoever has its scope, which was looked at before it is served (server.ts). */
export interface GuardedRoute extends RouteDoc {
  readonly scope: Scope
  /** Answers or holds the exchange before it returns. */
  serve(exchange: Exchange, params: readonly string[], app: App, principal: Principal): void
}

/** A row in the table of routes. */
export type Route = OpenRoute | GuardedRoute

/** What the handler of an ordinary request is given. */
export interface Call<Q extends TObject, B extends TObject> {
  readonly app: App
  readonly principal: Principal
  /** Path parameters, decoded, in order. */
  readonly params: readonly string[]
  readonly query: Static<Q>
  readonly body: Static<B>
  /** Where the client is (exchange.ts); to be asked before the first await. */
  readonly address: () => string
  /** Where the client sees the service (origin.ts); of an operation without a body, to be asked before the first await. */
  readonly origin: () => string
  /** Aborted when the client goes before it is answered; to be asked for before the first await. */
  readonly gone: () => AbortSignal
}

/** An ordinary operation: a handler that gives back the document to answer with, or a promise of it. */
interface Operation<Q extends TObject, B extends TObject> extends RouteDoc {
  readonly scope: Scope
  readonly query?: Q
  readonly body?: B
  /** `limits.requestBytesMax` where not said otherwise. */
  readonly bodyBytesMax?: number
  /** The status of the answer; 200 where not said otherwise. */
  readonly status?: number
  handle(call: Call<Q, B>): unknown
}

/** Makes a route of an ordinary operation. */
export function operation<Q extends TObject, B extends TObject>(spec: Operation<Q, B>): GuardedRoute {
  const queryChecker = spec.query === undefined ? null : new Checker(spec.query, 'query')
  const bodyChecker = spec.body === undefined ? null : new Checker(spec.body, 'body')
  const status = spec.status ?? 200
  const { handle, bodyBytesMax = limits.requestBytesMax, ...doc } = spec
  const valuesMax = valuesMaxOf(bodyBytesMax)

  function answer(exchange: Exchange, call: Call<Q, B>, left: () => void): void {
    const result = handle(call)
    if (!(result instanceof Promise)) return replyJson(exchange, status, result)
    exchange.hold(left)
    result.then(
      (document) => replyJson(exchange, status, document),
      (error: unknown) => replyError(exchange, error),
    )
  }

  function serve(exchange: Exchange, params: readonly string[], app: App, principal: Principal): void {
    const address = (): string => exchange.address()
    const origin = (): string => originOf(exchange, app.servesTls)
    const query = (queryChecker?.checkQuery(exchange.query()) ?? {}) as Static<Q>
    // Made where it is asked for: most operations are answered at once.
    let controller: AbortController | null = null
    const gone = (): AbortSignal => (controller ??= new AbortController()).signal
    const left = (): void => controller?.abort()
    if (bodyChecker === null)
      return answer(exchange, { app, principal, params, query, body: {} as Static<B>, address, origin, gone }, left)
    collectBody(exchange, bodyBytesMax, left)
      .then((bytes) => {
        const now = stillAuthorized(exchange, app, spec.scope)
        const body = bodyChecker.check(parseJson(bytes, valuesMax))
        answer(exchange, { app, principal: now, params, query, body, address, origin, gone }, left)
      })
      .catch((error: unknown) => replyError(exchange, error))
  }

  return { ...doc, serve }
}
