/**
 * The socket that accepts requests: uWebSockets.js apps with one catch-all route.
 *
 * Owns: listening, TLS, draining, the state that exchanges share. Leaves out: routing (server.ts).
 *
 * 1. A port belongs to one process. Without the exclusive option the kernel would silently share it with another.
 * 2. A drain stops listening at once. Open connections get their answers and are then closed.
 * 3. An app of uWebSockets.js keeps its certificate. A new certificate needs a new app on the same port, which listens
 *    before the previous app stops; the connections of that app stay open. So the kernel must share the port. The first
 *    app checks that no other process has the port before it listens.
 */
import {
  App,
  LIBUS_LISTEN_EXCLUSIVE_PORT,
  LIBUS_LISTEN_DEFAULT,
  SSLApp,
  us_listen_socket_close,
  us_socket_local_port,
} from './native.js'
import type { AppDescriptor, HttpApp, HttpRequest, HttpResponse, ListenSocket } from './native.js'
import { Exchange, type ExchangeHost } from './exchange.js'
import type { FollowConnection } from './library.js'
import type { OpenConnections } from './open-connections.js'
import { postpone } from './pieces/postponed.js'
import { checkTlsFiles, type TlsFiles } from './tls.js'

export interface ListenOptions {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly tls?: TlsFiles | undefined
  /** Serves a request: answers or holds it before it returns. `waited`: what `waitsFor` resolved to. */
  handle(exchange: Exchange, waited?: number | null): void
  /** What a request waits for before it is served; null: nothing. `method` in lower case, or '' to read it. */
  waitsFor?(request: HttpRequest, method: string): Promise<number | null> | null
  /** Answers for an exception. */
  fault(exchange: Exchange, error: unknown): void
  /** Called for an exception that is a bug. */
  failed(exchange: Exchange, error: unknown): void
  /** Called at the end of an exchange: its status, or 0 if the client disconnected first. */
  over(exchange: Exchange, status: number): void
  /** Paths whose GET may become a WebSocket. */
  readonly socketPaths?: readonly string[]
  /** Bounds the connections; absent: they are not bounded here. */
  readonly connections?: OpenConnections | undefined
}

/** What a client may leave unread of a WebSocket, what it may send, and how long it may be silent, in seconds. */
const SOCKET = { maxBackpressure: 1024 * 1024, maxPayloadLength: 1024, idleTimeout: 60 } as const

/** Milliseconds for which two apps listen on the same port. */
const OVERLAP_MS = 100

/** An app, and its socket while it listens. */
interface ListeningApp {
  readonly app: HttpApp
  socket: ListenSocket | null
}

export class Listener implements ExchangeHost {
  draining = false
  held = 0
  port = 0
  readonly #options: ListenOptions
  /** The last one listens. */
  readonly #apps: ListeningApp[] = []
  #whenIdle: (() => void) | null = null

  private constructor(options: ListenOptions) {
    this.#options = options
  }

  /** Rejects with one sentence if the address is not available or the certificate is invalid. */
  static async open(options: ListenOptions): Promise<Listener> {
    const listener = new Listener(options)
    const { tls } = options
    if (tls === undefined) {
      listener.port = await listener.#listen(App(), options.port, LIBUS_LISTEN_EXCLUSIVE_PORT)
      return listener
    }
    checkTlsFiles(tls)
    const port = await listener.#listen(App(), options.port, LIBUS_LISTEN_EXCLUSIVE_PORT)
    listener.#apps.pop()!.app.close()
    listener.port = await listener.#listen(SSLApp(tls), port, LIBUS_LISTEN_DEFAULT)
    return listener
  }

  /** Serves connections that another thread hands to it (`descriptor`). @throws Error if the certificate is invalid. */
  static adopting(options: ListenOptions): Listener {
    const listener = new Listener(options)
    listener.#addAdopting()
    return listener
  }

  /** The app for new connections, for the thread that accepts them. */
  get descriptor(): AppDescriptor {
    return this.#apps.at(-1)!.app.getDescriptor!()
  }

  /** Connections that are handed over from now on get the present certificate. @throws Error if it is invalid. */
  renew(): void {
    this.#addAdopting()
  }

  #addAdopting(): void {
    const { tls } = this.#options
    const app = tls === undefined ? App() : SSLApp(tls)
    this.#serve(app)
    this.#apps.push({ app, socket: null })
  }

  /** Listens for a moment. Rejects as `open` does. */
  static async check({ host, port, tls }: Pick<ListenOptions, 'host' | 'port' | 'tls'>): Promise<void> {
    if (tls !== undefined) checkTlsFiles(tls)
    const app = App()
    await listenOn(app, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT)
    app.close()
  }

  /** Reloads the certificate for new connections. If it is invalid, rejects with one sentence and changes nothing. */
  async reloadTls(): Promise<void> {
    const { tls } = this.#options
    if (tls === undefined || this.draining) return
    checkTlsFiles(tls)
    const before = this.#apps.at(-1)!
    if (before.app.reloadTls !== undefined) return before.app.reloadTls(tls)
    await this.#listen(SSLApp(tls), this.port, LIBUS_LISTEN_DEFAULT)
    // The previous app first accepts the connections that wait on its socket; it does so before the immediate runs.
    await new Promise((resolve) => setTimeout(resolve, OVERLAP_MS))
    await new Promise((resolve) => setImmediate(resolve))
    stopListening(before)
  }

  idle(): void {
    this.#whenIdle?.()
  }

  fault(exchange: Exchange, error: unknown): void {
    this.#options.fault(exchange, error)
  }

  over(exchange: Exchange, status: number): void {
    this.#options.over(exchange, status)
  }

  failed(exchange: Exchange, error: unknown): void {
    this.#options.failed(exchange, error)
  }

  /** Accepts no new connections. */
  stopListening(): void {
    this.draining = true
    for (const app of this.#apps) stopListening(app)
  }

  /** Resolves with true when no exchange is under way, with false after the limit. */
  async whenIdle(limitMs: number): Promise<boolean> {
    if (this.held === 0) return true
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs)
      this.#whenIdle = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  /** Closes every connection. */
  close(): void {
    this.stopListening()
    for (const { app } of this.#apps) app.close()
  }

  /** Starts listening and returns the port. */
  async #listen(app: HttpApp, port: number, sharing: number): Promise<number> {
    this.#serve(app)
    const socket = await listenOn(app, this.#options.host, port, sharing)
    this.#apps.push({ app, socket })
    return us_socket_local_port(socket)
  }

  #handle(exchange: Exchange, waited?: number | null): void {
    try {
      this.#options.handle(exchange, waited)
    } catch (error) {
      this.fault(exchange, error)
    }
    exchange.leave()
  }

  #whenWaited(res: HttpResponse, req: HttpRequest, method: string, socketContext: unknown): void {
    const until = this.#options.waitsFor?.(req, method) ?? null
    if (until === null) return this.#handle(new Exchange(res, req, this, method, socketContext))
    const over = (): void => void (--this.held === 0 && this.idle())
    this.held++
    postpone({ res, req, method }, until, {
      serve: (kept, waited) => {
        this.#handle(new Exchange(res, kept, this, method, socketContext), waited)
        over()
      },
      gone: over,
    })
  }

  #serve(app: HttpApp): void {
    const serve =
      this.#options.waitsFor === undefined
        ? (method: string) => (res: HttpResponse, req: HttpRequest, socketContext?: unknown) =>
            this.#handle(new Exchange(res, req, this, method, socketContext))
        : (method: string) => (res: HttpResponse, req: HttpRequest, socketContext?: unknown) =>
            this.#whenWaited(res, req, method, socketContext)
    const { socketPaths = [], connections } = this.#options
    for (const path of socketPaths) {
      app.ws?.(path, {
        ...SOCKET,
        upgrade: serve('get'),
        open: (socket) => socket.getUserData().user.opened(socket),
        drain: (socket) => socket.getUserData().user.drained(),
        close: (socket) => {
          connections?.closed()
          socket.getUserData().user.closed()
        },
      })
    }
    if (connections !== undefined) {
      const follow: FollowConnection = (connection, count) => {
        if (count < 0) connections.closed()
        else if (!connections.opened(new Uint8Array(connection.getRemoteAddress()))) connection.close()
      }
      app.filter?.(follow)
    }
    // GET and POST have handlers of their own, so that their method need not be read from the request.
    app.get('/*', serve('get')).post('/*', serve('post')).any('/*', serve(''))
  }
}

export function listenOn(app: HttpApp, host: string, port: number, sharing: number): Promise<ListenSocket> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, sharing, (socket) => {
      if (socket !== false) return resolve(socket)
      app.close()
      const settings = 'SERVICE_PORT sets another port, SERVICE_OPS_PORT that for operators'
      reject(new Error(`cannot listen on ${host} port ${port}: it is in use or not allowed; ${settings}`))
    })
  })
}

function stopListening(app: ListeningApp): void {
  if (app.socket !== null) us_listen_socket_close(app.socket)
  app.socket = null
}
