/**
 * The HTTP service around an engine: from a request to its route.
 *
 * Owns: the router, unknown paths and methods, that a route is served to whoever has its scope, draining, the port for
 * operators, counting and logging requests. Leaves out: the engine's life (main.ts), each operation (routes/), sockets
 * (http/listener.ts).
 *
 * 1. Probes are answered until the end: a drain refuses everything else.
 */
import { limits, Refusal, type DecisionService, type Log } from '../engine/index.js'
import type { App } from './app.js'
import { authorize, keyHeader } from './http/auth.js'
import { replyError, replyHttpError, replyRefusal } from './http/error-reply.js'
import type { Exchange } from './http/exchange.js'
import { headerName } from './http/header-name.js'
import { Listener } from './http/listener.js'
import type { Route } from './http/route.js'
import type { Tracer } from './http/request-trace.js'
import { RateLimit } from './http/rate-limit.js'
import { Router } from './http/router.js'
import type { TlsFiles } from './http/tls.js'
import { Traffic, type RouteMeter } from './http/traffic.js'
import { FairWindow } from './routes/bulk/fair-window.js'
import { opsRoutes, routes } from './routes/index.js'

export interface ServerOptions {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  readonly emptyErrorMessage: boolean
  /** Requests a second for each key and user; 0 or absent: as many as they like. */
  readonly rateLimit?: number | undefined
  /** How many of them at once after a rest; absent: those of two seconds. */
  readonly rateBurst?: number | undefined
  readonly tls?: TlsFiles | undefined
  /** The port for operators: probes and metrics without a key. None without it. */
  readonly opsPort?: number | undefined
  readonly opsHost?: string | undefined
  readonly tracer?: Tracer | undefined
}

/** A route, and what it is counted under. */
interface Row {
  readonly route: Route
  readonly meter: RouteMeter
}

type Table = Router<Row>

export class Server {
  readonly #listener: Listener
  readonly #ops: Listener | null
  readonly #drainListeners: Set<() => void>

  private constructor(listener: Listener, ops: Listener | null, drainListeners: Set<() => void>) {
    this.#listener = listener
    this.#ops = ops
    this.#drainListeners = drainListeners
  }

  /** Rejects with one sentence when an address cannot be had, or the certificate does not serve. */
  static async start(service: DecisionService, options: ServerOptions): Promise<Server> {
    const drainListeners = new Set<() => void>()
    let main: Listener | null = null
    const app: App = {
      service,
      keyHeader: headerName(keyHeader(service.name)),
      servesTls: options.tls !== undefined,
      emptyErrorMessage: options.emptyErrorMessage,
      rateLimit: rateLimitOf(options),
      window: new FairWindow(service.threads),
      traffic: new Traffic(),
      tracer: options.tracer ?? null,
      get state() {
        return main?.draining === true ? 'draining' : service.monitor.state
      },
      onDrain(listener) {
        drainListeners.add(listener)
        return () => drainListeners.delete(listener)
      },
    }
    const log = service.monitor.log('api')
    const open = (host: string, port: number, served: readonly Route[], tls?: TlsFiles): Promise<Listener> => {
      const table = tableOf(served, app.traffic)
      return Listener.open({
        host,
        port,
        tls,
        handle: (exchange) => dispatch(exchange, table, app),
        fault: replyError,
        failed: (exchange, error) => log.error('a request failed', { ...named(exchange), err: error }),
        over: (exchange, status) => over(exchange, status, app, log),
      })
    }
    main = await open(options.host, options.port, routes, options.tls)
    if (options.opsPort === undefined) return new Server(main, null, drainListeners)
    try {
      return new Server(main, await open(options.opsHost ?? '127.0.0.1', options.opsPort, opsRoutes), drainListeners)
    } catch (error) {
      main.close()
      throw error
    }
  }

  /** The port it listens on. */
  get port(): number {
    return this.#listener.port
  }

  /** The port for operators, null where there is none. */
  get opsPort(): number | null {
    return this.#ops?.port ?? null
  }

  /** Serves new connections with the certificate that is in the files now. Rejects with one sentence, and changes nothing. */
  reloadTls(): Promise<void> {
    return this.#listener.reloadTls()
  }

  /**
   * Takes no new connections, refuses new requests, and waits for those under way. False when some were left after the
   * limit. The engine must go on until this is done.
   */
  drain(limitMs: number = limits.drainMsMax): Promise<boolean> {
    this.#listener.stopListening()
    for (const listener of [...this.#drainListeners]) listener()
    return this.#listener.whenIdle(limitMs)
  }

  /** Closes every connection. */
  close(): void {
    this.#listener.close()
    this.#ops?.close()
  }
}

function rateLimitOf({ rateLimit = 0, rateBurst }: ServerOptions): RateLimit | null {
  return rateLimit === 0 ? null : new RateLimit(rateLimit, rateBurst ?? Math.max(1, 2 * rateLimit))
}

function tableOf(served: readonly Route[], traffic: Traffic): Table {
  const table: Table = new Router<Row>()
  for (const route of served)
    table.add(route.method, route.path, { route, meter: traffic.meter(route.method, route.path) })
  return table
}

/** The one place where a route's scope is enforced. */
function serve(exchange: Exchange, route: Route, params: readonly string[], app: App): void {
  if (route.scope === null) route.serve(exchange, params, app)
  else route.serve(exchange, params, app, authorize(exchange, app, route.scope))
}

function dispatch(exchange: Exchange, table: Table, app: App): void {
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
  if (match.allow.length === 0) return replyHttpError(exchange, 404, 'not found')
  replyHttpError(exchange, 405, 'method not allowed', [['Allow', match.allow.join(', ')]])
}

function named(exchange: Exchange) {
  return { request_id: exchange.requestId, method: exchange.method, route: exchange.meter?.path ?? '' }
}

/** The end of every exchange. */
function over(exchange: Exchange, status: number, { traffic }: App, log: Log): void {
  const ms = performance.now() - exchange.startedMs
  ;(exchange.meter ?? traffic.unmatched).count(status, ms)
  exchange.trace?.ended(status)
  if (status >= 500 && status !== 503) log.warn('request', { ...named(exchange), status, ms })
  else if ((status === 401 || status === 403) && log.enabled('info'))
    log.info('request', { ...named(exchange), status, ms })
  else if (log.enabled('debug')) log.debug('request', { ...named(exchange), status, ms })
}
