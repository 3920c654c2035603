/**
 * The socket that accepts requests: uWebSockets.js apps with one catch-all route.
 *
 * Owns: listening, TLS, draining, what exchanges share. Leaves out: what a request means (server.ts).
 *
 * 1. A port belongs to one process: without the exclusive option the kernel would share it out silently.
 * 2. A drain stops listening at once; open connections are answered until they are done, then closed.
 * 3. An app keeps the certificate that it was made with. So another certificate is another app on the same port: it
 *    listens before the one before it stops, whose connections stay as they are. For that the kernel must share the
 *    port; the first app makes sure before it listens that nobody else has it.
 */
import {
  App,
  LIBUS_LISTEN_EXCLUSIVE_PORT,
  LIBUS_LISTEN_DEFAULT,
  SSLApp,
  us_listen_socket_close,
  us_socket_local_port,
} from './native.js'
import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from './native.js'
import { Exchange, type ExchangeHost } from './exchange.js'
import { mustServe, type TlsFiles } from './tls.js'

export interface ListenOptions {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  readonly tls?: TlsFiles | undefined
  /** Serves a request: answers or holds it before it returns. */
  handle(exchange: Exchange): void
  /** Answers for an exception. */
  fault(exchange: Exchange, error: unknown): void
  /** Told of an exception that is a bug. */
  failed(exchange: Exchange, error: unknown): void
  /** Told of an exchange's end: its status, or 0 where the client went first. */
  over(exchange: Exchange, status: number): void
}

/** How long two apps listen side by side. */
const OVERLAP_MS = 100

/** An app that listens, or listened. */
interface Door {
  readonly app: TemplatedApp
  socket: us_listen_socket | null
}

export class Listener implements ExchangeHost {
  draining = false
  held = 0
  port = 0
  readonly #options: ListenOptions
  /** The one that listens is the last. */
  readonly #doors: Door[] = []
  #whenIdle: (() => void) | null = null

  private constructor(options: ListenOptions) {
    this.#options = options
  }

  /** Rejects with one sentence when the address cannot be had, or the certificate does not serve. */
  static async open(options: ListenOptions): Promise<Listener> {
    const listener = new Listener(options)
    const { tls } = options
    if (tls === undefined) {
      listener.port = await listener.#listen(App(), options.port, LIBUS_LISTEN_EXCLUSIVE_PORT)
      return listener
    }
    mustServe(tls)
    const port = await listener.#listen(App(), options.port, LIBUS_LISTEN_EXCLUSIVE_PORT)
    listener.#doors.pop()!.app.close()
    listener.port = await listener.#listen(SSLApp(tls), port, LIBUS_LISTEN_DEFAULT)
    return listener
  }

  /** Serves new connections with the certificate that the files hold now. Rejects with one sentence, and changes nothing. */
  async reloadTls(): Promise<void> {
    const { tls } = this.#options
    if (tls === undefined || this.draining) return
    mustServe(tls)
    const before = this.#doors.at(-1)!
    await this.#listen(SSLApp(tls), this.port, LIBUS_LISTEN_DEFAULT)
    // Connections that wait at the door before are let in first; the immediate comes right behind such a look.
    await new Promise((resolve) => setTimeout(resolve, OVERLAP_MS))
    await new Promise((resolve) => setImmediate(resolve))
    stopDoor(before)
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

  /** Takes no new connections. */
  stopListening(): void {
    this.draining = true
    for (const door of this.#doors) stopDoor(door)
  }

  /** Resolves when no exchange is under way, or after the limit; true for the former. */
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
    for (const { app } of this.#doors) app.close()
  }

  /** The port on which the app listens now. */
  #listen(app: TemplatedApp, port: number, sharing: number): Promise<number> {
    const serve =
      (method: string) =>
      (res: HttpResponse, req: HttpRequest): void => {
        const exchange = new Exchange(res, req, this, method)
        try {
          this.#options.handle(exchange)
        } catch (error) {
          this.fault(exchange, error)
        }
        exchange.leave()
      }
    // The usual methods by themselves: that one is known need not be asked for.
    app.get('/*', serve('get')).post('/*', serve('post')).any('/*', serve(''))
    const { host } = this.#options
    return new Promise((resolve, reject) => {
      app.listen(host, port, sharing, (socket) => {
        if (socket === false) {
          app.close()
          reject(new Error(`cannot listen on ${host} port ${port}: it is in use or not allowed`))
        } else {
          this.#doors.push({ app, socket })
          resolve(us_socket_local_port(socket))
        }
      })
    })
  }
}

function stopDoor(door: Door): void {
  if (door.socket !== null) us_listen_socket_close(door.socket)
  door.socket = null
}
