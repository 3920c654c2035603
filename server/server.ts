/**
 * The HTTP service around an engine: its ports, its sessions, and what every handler gets.
 *
 * Owns: the port for operators, draining. Leaves out: which route serves a request (dispatch.ts), starting and stopping
 * the engine (main.ts), sockets (http/listener.ts).
 *
 * What lives where in server/, which imports engine/index.ts and nothing deeper:
 *
 * | where                                   | what                                                             |
 * |-----------------------------------------|------------------------------------------------------------------|
 * | `main.ts`, `config.ts`, `app.ts`        | the program, its settings, what every handler gets               |
 * | `dispatch.ts`                           | from a request to its route                                      |
 * | `http/`                                 | HTTP without the API; the only room that imports uWebSockets.js  |
 * | `cluster/`                              | a node of a cluster: its port, and requests that it forwards     |
 * | `routes/`                               | the operations; wire names (snake_case) become engine names here |
 * | `schemas/`, `openapi.ts`                | what operations send and receive, and its document               |
 * | `threads/`                              | several threads of HTTP                                          |
 * | `mcp/`                                  | tools for agents                                                 |
 * | `console/`                              | the web application; it runs in the browser                      |
 * | `docs/`                                 | the manual, served at /docs                                      |
 * | `deploy/`                               | Docker, systemd, Kubernetes, Grafana                             |
 * | `backup.ts` and its like                | commands for operators: backup, restore, verify, nodes, ...      |
 * | `prometheus.ts`, `tracing.ts`, `zip.ts` | one wrapped library each                                         |
 */
import { limits, type DecisionService, type Log } from '../engine/index.js'
import type { App } from './app.js'
import { dispatch, logFields, over, tableOf, type Table } from './dispatch.js'
import { keyHeader } from './http/auth.js'
import { replyError } from './http/error-reply.js'
import type { Exchange, ExchangeHost } from './http/exchange.js'
import { inProcess } from './http/in-process.js'
import { Listener, type ListenOptions } from './http/listener.js'
import { httpNotice } from './http/native.js'
import type { Route } from './http/route.js'
import type { Tracer } from './http/request-trace.js'
import { connectionsRefused, OpenConnections, opsConnections } from './http/open-connections.js'
import { RateLimit, type Rates } from './http/rate-limit.js'
import { sessionsOf } from './http/sessions.js'
import type { TlsFiles } from './http/tls.js'
import { Traffic } from './http/traffic.js'
import { openSignOn, type SignOnOptions } from './sso/open.js'
import { connectionsMaxOf } from './start/open-files.js'
import { FairWindow } from './routes/bulk/fair-window.js'
import { ThreadRounds } from './routes/bulk/thread-rounds.js'
import { consoleRoutes, opsRoutes, routes } from './routes/index.js'
import { socketPaths } from './routes/stream/stream.js'
import { HttpThreads } from './threads/http-threads.js'
import { SharedRate } from './threads/shared-rate.js'
import { SharedState } from './threads/shared-state.js'

export { httpNotice } from './http/native.js'

/** A port with the requests of one engine. */
export type ServedPort = Pick<Listener, 'port' | 'draining' | 'stopListening' | 'whenIdle' | 'reloadTls' | 'close'>

export interface ServerOptions extends SignOnOptions {
  /** False: nobody signs in with a password. */
  readonly passwords?: boolean | undefined
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
  /** False: the service has no console. */
  readonly console?: boolean | undefined
  /** Threads that serve HTTP; 1 or absent: the main thread does. */
  readonly httpThreads?: number | undefined
  /** Connections of the port at once; default: as many as the limit of open files leaves. */
  readonly connectionsMax?: number | undefined
  /** The connections of the port, where somebody else has opened it. */
  readonly connections?: OpenConnections | undefined
  /** Minutes without a request after which a session of the console ends; default 60. */
  readonly sessionMinutes?: number | undefined
  /** The operations that are served; absent: all. */
  readonly routes?: readonly Route[] | undefined
  /** As in app.ts; absent: the catalog here is that of its owner. */
  readonly catalogCurrent?: App['catalogCurrent']
  /** As in app.ts. */
  readonly node?: App['node']
  /** Takes the requests of a port; absent: the port is opened (cluster/door.ts). */
  readonly listen?: ((options: ListenOptions) => Promise<ServedPort>) | undefined
}

type Address = Pick<ListenOptions, 'host' | 'port' | 'tls' | 'connections'>

/** What serves the port of the API: a listener of this thread, or several threads. */
type Front = Pick<ServedPort, 'port' | 'draining' | 'stopListening' | 'whenIdle' | 'reloadTls'> & {
  close(): void | Promise<void>
}

export class Server {
  readonly #listener: Front
  readonly #ops: ServedPort | null
  readonly #drainListeners: Set<() => void>

  private constructor(listener: Front, ops: ServedPort | null, drainListeners: Set<() => void>) {
    this.#listener = listener
    this.#ops = ops
    this.#drainListeners = drainListeners
  }

  /** Rejects as `start` does, before there is an engine. */
  static async check(options: Omit<ServerOptions, 'emptyErrorMessage'>): Promise<void> {
    const { host, port, tls, opsHost = '127.0.0.1', opsPort, httpThreads = 1 } = options
    if (httpThreads > 1 && httpNotice !== null)
      throw new Error('SERVICE_HTTP_THREADS above 1 needs uWebSockets.js, and HTTP is served by node:http here')
    await Listener.check({ host, port, tls })
    if (opsPort !== undefined) await Listener.check({ host: opsHost, port: opsPort })
  }

  /** Rejects with one sentence if an address is not available or the certificate is invalid. */
  static async start(service: DecisionService, options: ServerOptions): Promise<Server> {
    const drainListeners = new Set<() => void>()
    let main: Front | null = null
    const { httpThreads = 1, listen = Listener.open } = options
    const shared = httpThreads > 1 ? new SharedState() : null
    shared?.countHere()
    const traffic = new Traffic()
    const table = tableOf(servedRoutes(options), traffic)
    const log = service.monitor.log('api')
    const connections = options.connections ?? connectionsOf(options, log, shared)
    const handling = {
      fault: replyError,
      failed: (exchange: Exchange, error: unknown) =>
        log.error('a request failed', { ...logFields(exchange), err: error }),
      over: (exchange: Exchange, status: number) => over(exchange, status, app, log),
    }
    const sessions = options.console === false ? null : sessionsOf(service, options.sessionMinutes, options.publicUrl)
    const own: ExchangeHost = { ...handling, draining: false, held: 0, idle() {} }
    const app: App = {
      service,
      keyHeader: keyHeader(service.name),
      servesTls: options.tls !== undefined,
      emptyErrorMessage: options.emptyErrorMessage,
      rateLimit: rateLimitOf(options, shared),
      sessions,
      signOn: openSignOn(service, sessions, options),
      publicUrl: options.publicUrl ?? '',
      passwords: options.passwords !== false,
      window: new FairWindow(service.threads, shared),
      rounds: new ThreadRounds((caller) => {
        log.warn('a stream brought more at once than is held, and was cut off', { caller })
      }, shared),
      traffic,
      connections,
      async gatherTraffic() {
        if (main instanceof HttpThreads) await main.gatherTraffic()
      },
      inProcess: inProcess(own, (exchange) => dispatch(exchange, table, app)),
      mcpHosts: options.mcpHosts ?? [],
      tracer: options.tracer ?? null,
      catalogCurrent: options.catalogCurrent,
      node: options.node,
      get state() {
        return main?.draining === true ? 'draining' : service.monitor.state
      },
      onDrain(listener) {
        drainListeners.add(listener)
        return () => drainListeners.delete(listener)
      },
    }
    if (app.signOn !== null) app.onDrain(app.signOn.close.bind(app.signOn))
    const open = (at: Address, served: Table): Promise<ServedPort> =>
      listen({ ...at, socketPaths, ...handling, handle: (exchange) => dispatch(exchange, served, app) })
    const { host, port, tls } = options
    main =
      shared === null
        ? await open({ host, port, tls, connections }, table)
        : await HttpThreads.open({
            count: httpThreads,
            host,
            port,
            tls,
            app,
            shared,
            rate: rateOf(options),
            connections,
            log,
            handling,
            handle: (exchange) => dispatch(exchange, table, app),
          })
    if (options.opsPort === undefined) return new Server(main, null, drainListeners)
    try {
      const opsTable = tableOf(opsRoutes, traffic)
      const ops = { host: options.opsHost ?? '127.0.0.1', port: options.opsPort, connections: opsConnections() }
      return new Server(main, await open(ops, opsTable), drainListeners)
    } catch (error) {
      await main.close()
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

  /** Closes every connection. Resolves when no other thread serves HTTP any more. */
  async close(): Promise<void> {
    this.#ops?.close()
    await this.#listener.close()
  }
}

function connectionsOf(options: ServerOptions, log: Log, shared: SharedState | null): OpenConnections {
  return new OpenConnections({
    max: options.connectionsMax ?? connectionsMaxOf(options),
    refused: (open) => connectionsRefused(log, open),
    ...(shared === null ? {} : { words: shared.connections }),
  })
}

function rateOf({ rateLimit = 0, rateBurst }: ServerOptions): { perSecond: number; burst: number } | null {
  return rateLimit === 0 ? null : { perSecond: rateLimit, burst: rateBurst ?? Math.max(1, 2 * rateLimit) }
}

function rateLimitOf(options: ServerOptions, shared: SharedState | null): Rates | null {
  const rate = rateOf(options)
  if (rate === null) return null
  const { perSecond, burst } = rate
  return shared === null ? new RateLimit(perSecond, burst) : new SharedRate(shared, perSecond, burst)
}

function servedRoutes(options: ServerOptions): readonly Route[] {
  const served = options.routes ?? routes
  return options.console === false ? served.filter((route) => !consoleRoutes.includes(route)) : served
}
