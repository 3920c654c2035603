/**
 * From a request to its route.
 *
 * Owns: routing, unknown paths and methods, the check of scopes, counting and logging requests. Leaves out: each
 * operation (routes/), the ports (server.ts).
 *
 * 1. A drain refuses all requests except probes, which are answered until the end.
 */
import { canRead, Refusal, type Log } from '../engine/index.js'
import type { App } from './app.js'
import { authorize } from './http/auth.js'
import { replyHttpError, replyRefusal } from './http/error-reply.js'
import type { Exchange } from './http/exchange.js'
import type { Route } from './http/route.js'
import { Router } from './http/router.js'
import type { Headers } from './http/send.js'
import type { Traffic, RouteMeter } from './http/traffic.js'
import { servePage, wantsPage } from './routes/console-files.js'

/** A route and its meter. */
interface Row {
  readonly route: Route
  readonly meter: RouteMeter
}

export type Table = Router<Row>

export function tableOf(served: readonly Route[], traffic: Traffic): Table {
  const table: Table = new Router<Row>()
  for (const route of served)
    table.add(route.method, route.path, { route, meter: traffic.meter(route.method, route.path) })
  return table
}

const CHARSET_SHOWN = 40

/** Whoever sends another coding is told which ones are read (RFC 7694). */
const readCodings: Headers = [['Accept-Encoding', 'gzip, identity']]

/** The only place that enforces the scope of a route. */
function serve(exchange: Exchange, route: Route, params: readonly string[], app: App): void {
  if (route.busyIs503 === true) exchange.busyIs503 = true
  if (route.body !== undefined) {
    if (exchange.hasUnreadCoding)
      return replyHttpError(exchange, 415, 'a body is read as it is or in gzip, and in no other coding', readCodings)
    const { charset } = exchange
    if (!canRead(charset)) {
      const name = charset.slice(0, CHARSET_SHOWN)
      return replyHttpError(exchange, 415, `the charset ${name} is not known: send UTF-8, and say so in Content-Type`)
    }
  }
  if (route.scope === null) route.serve(exchange, params, app)
  else route.serve(exchange, params, app, authorize(exchange, app, route.scope))
}

/** Addresses that programs ask for, also with a browser. */
const OF_PROGRAMS = /^\/+(api|console|docs)\//

export function dispatch(exchange: Exchange, table: Table, app: App): void {
  const { headFault } = exchange
  if (headFault !== null) return replyHttpError(exchange, headFault.status, headFault.message)
  const match = table.find(exchange.method, exchange.path)
  exchange.meter = match.found ? match.value.meter : app.traffic.unmatched
  if (exchange.draining && !(match.found && match.value.route.isProbe === true)) {
    return replyRefusal(exchange, new Refusal('draining', 'the service is shutting down'))
  }
  if (match.found) {
    const { route } = match.value
    if (app.tracer !== null) exchange.trace = app.tracer.follow(exchange, route.method, route.path)
    return serve(exchange, route, match.params, app)
  }
  if (match.allow.length === 0) {
    if (exchange.method === 'get' && !OF_PROGRAMS.test(exchange.path) && wantsPage(exchange, app))
      return servePage(exchange, 404)
    return replyHttpError(exchange, 404, 'not found')
  }
  replyHttpError(exchange, 405, 'method not allowed', [['Allow', match.allow.join(', ')]])
}

export function logFields(exchange: Exchange) {
  return { request_id: exchange.requestId, method: exchange.method, route: exchange.meter?.path ?? '' }
}

/** Counts and logs every exchange at its end. */
export function over(exchange: Exchange, status: number, { traffic }: App, log: Log): void {
  const ms = performance.now() - exchange.startedMs
  ;(exchange.meter ?? traffic.unmatched).count(status, ms)
  exchange.trace?.ended(status)
  if (status >= 500 && status !== 503) log.warn('request', { ...logFields(exchange), status, ms })
  else if ((status === 401 || status === 403) && log.enabled('info'))
    log.info('request', { ...logFields(exchange), status, ms })
  else if (log.enabled('debug')) log.debug('request', { ...logFields(exchange), status, ms })
}
