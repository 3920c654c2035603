/**
 * The HTTP service around an engine: it leads each request to its route.
 *
 * Owns: routing, unknown paths and methods, the check of scopes, draining, the port for operators, counting and logging
 * requests. Leaves out: starting and stopping the engine (main.ts), each operation (routes/), sockets
 * (http/listener.ts).
 *
 * 1. A drain refuses all requests except probes, which are answered until the end.
 *
 * What lives where in server/, which imports engine/index.ts and nothing deeper:
 *
 * | where                                   | what                                                             |
 * |-----------------------------------------|------------------------------------------------------------------|
 * | `main.ts`, `config.ts`, `app.ts`        | the program, its settings, what every handler gets               |
 * | `http/`                                 | HTTP without the API; the only room that imports uWebSockets.js  |
 * | `routes/`                               | the operations; wire names (snake_case) become engine names here |
 * | `schemas/`, `openapi.ts`                | what operations send and receive, and its document               |
 * | `mcp/`                                  | tools for agents                                                 |
 * | `console/`                              | the web application; it runs in the browser                      |
 * | `docs/`                                 | the manual, served at /docs                                      |
 * | `deploy/`                               | Docker, systemd, Kubernetes, Grafana                             |
 * | `backup.ts` and its like                | commands for operators: backup, restore, verify, audit-verify    |
 * | `prometheus.ts`, `tracing.ts`, `zip.ts` | one wrapped library each                                         |
 */
import { limits, Refusal, type DecisionService, type Log } from '../engine/index.js'
import type { App } from './app.js'
import { authorize, keyHeader } from './http/auth.js'
import { replyError, replyHttpError, replyRefusal } from './http/error-reply.js'
import type { Exchange, ExchangeHost } from './http/exchange.js'
import { inProcess } from './http/in-process.js'
import { Listener } from './http/listener.js'
import type { Route } from './http/route.js'
import type { Tracer } from './http/request-trace.js'
import { RateLimit } from './http/rate-limit.js'
import { Router } from './http/router.js'
import type { TlsFiles } from './http/tls.js'
import { Traffic, type RouteMeter } from './http/traffic.js'
import { FairWindow } from './routes/bulk/fair-window.js'
import { ThreadRounds } from './routes/bulk/thread-rounds.js'
import { opsRoutes, routes } from './routes/index.js'
import { socketPaths } from './routes/stream/stream.js'

export { httpNotice } from './http/native.js'

export interface ServerOptions {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly emptyErrorMessage: boolean
  /** Requests per second for each key and user; 0 or absent: no limit. */
  readonly rateLimit?: number | undefined
  /** Requests in one burst; absent: those of two seconds. */
  readonly rateBurst?: number | undefined
  readonly tls?: TlsFiles | undefined
  /** The port for operators: probes and metrics without a key. Absent: no such port. */
  readonly opsPort?: number | undefined
  readonly opsHost?: string | undefined
  readonly tracer?: Tracer | undefined
  /** Hosts by which MCP clients may reach the service, beside addresses and localhost. */
  readonly mcpHosts?: readonly string[] | undefined
}

/** A route and its meter. */
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

  /** Rejects as `start` does, before there is an engine. */
  static async check(options: Omit<ServerOptions, 'emptyErrorMessage'>): Promise<void> {
    const { host, port, tls, opsHost = '127.0.0.1', opsPort } = options
    await Listener.check({ host, port, tls })
    if (opsPort !== undefined) await Listener.check({ host: opsHost, port: opsPort })
  }

  /** Rejects with one sentence if an address is not available or the certificate is invalid. */
  static async start(service: DecisionService, options: ServerOptions): Promise<Server> {
    const drainListeners = new Set<() => void>()
    let main: Listener | null = null
    const traffic = new Traffic()
    const table = tableOf(routes, traffic)
    const log = service.monitor.log('api')
    const handling = {
      fault: replyError,
      failed: (exchange: Exchange, error: unknown) =>
        log.error('a request failed', { ...logFields(exchange), err: error }),
      over: (exchange: Exchange, status: number) => over(exchange, status, app, log),
    }
    const own: ExchangeHost = { ...handling, draining: false, held: 0, idle() {} }
    const app: App = {
      service,
      keyHeader: keyHeader(service.name),
      servesTls: options.tls !== undefined,
      emptyErrorMessage: options.emptyErrorMessage,
      rateLimit: rateLimitOf(options),
      window: new FairWindow(service.threads),
      rounds: new ThreadRounds((caller) => {
        service.monitor.log('api').warn('a stream brought more at once than is held, and was cut off', { caller })
      }),
      traffic,
      inProcess: inProcess(own, (exchange) => dispatch(exchange, table, app)),
      mcpHosts: options.mcpHosts ?? [],
      tracer: options.tracer ?? null,
      get state() {
        return main?.draining === true ? 'draining' : service.monitor.state
      },
      onDrain(listener) {
        drainListeners.add(listener)
        return () => drainListeners.delete(listener)
      },
    }
    const open = (host: string, port: number, served: Table, tls?: TlsFiles): Promise<Listener> =>
      Listener.open({
        host,
        port,
        tls,
        socketPaths,
        ...handling,
        handle: (exchange) => dispatch(exchange, served, app),
      })
    main = await open(options.host, options.port, table, options.tls)
    if (options.opsPort === undefined) return new Server(main, null, drainListeners)
    try {
      const opsTable = tableOf(opsRoutes, traffic)
      return new Server(main, await open(options.opsHost ?? '127.0.0.1', options.opsPort, opsTable), drainListeners)
    } catch (error) {
      main.close()
      throw error
    }
  }

  /** The port it listens on. */
  get port(): number {
    return this.#listener.port
  }

  /** The port for operators, or null. */
  get opsPort(): number | null {
    return this.#ops?.port ?? null
  }

  /** Reloads the certificate for new connections. If it is invalid, rejects with one sentence and changes nothing. */
  reloadTls(): Promise<void> {
    return this.#listener.reloadTls()
  }

  /**
   * Accepts no new connections, refuses new requests, and waits for those under way. False if some are left after
   * `limitMs`. The engine must run until this is done.
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

/** The only place that enforces the scope of a route. */
function serve(exchange: Exchange, route: Route, params: readonly string[], app: App): void {
  if (route.scope === null) route.serve(exchange, params, app)
  else route.serve(exchange, params, app, authorize(exchange, app, route.scope))
}

function dispatch(exchange: Exchange, table: Table, app: App): void {
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
  if (match.allow.length === 0) return replyHttpError(exchange, 404, 'not found')
  replyHttpError(exchange, 405, 'method not allowed', [['Allow', match.allow.join(', ')]])
}

function logFields(exchange: Exchange) {
  return { request_id: exchange.requestId, method: exchange.method, route: exchange.meter?.path ?? '' }
}

/** Counts and logs every exchange at its end. */
function over(exchange: Exchange, status: number, { traffic }: App, log: Log): void {
  const ms = performance.now() - exchange.startedMs
  ;(exchange.meter ?? traffic.unmatched).count(status, ms)
  exchange.trace?.ended(status)
  if (status >= 500 && status !== 503) log.warn('request', { ...logFields(exchange), status, ms })
  else if ((status === 401 || status === 403) && log.enabled('info'))
    log.info('request', { ...logFields(exchange), status, ms })
  else if (log.enabled('debug')) log.debug('request', { ...logFields(exchange), status, ms })
}
