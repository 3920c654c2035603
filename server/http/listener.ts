/**
 * The socket that accepts requests: one uWebSockets.js app with one catch-all route.
 *
 * Owns: listening, draining, what exchanges share. Leaves out: what a request means (server.ts).
 *
 * 1. A port belongs to one process: without the exclusive option the kernel would share it out silently.
 * 2. A drain stops listening at once; open connections are answered until they are done, then closed.
 */
import { App, LIBUS_LISTEN_EXCLUSIVE_PORT, us_listen_socket_close, us_socket_local_port } from './native.js'
import type { TemplatedApp, us_listen_socket } from './native.js'
import { Exchange, type ExchangeHost } from './exchange.js'

export interface ListenOptions {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  /** Serves a request: answers or holds it before it returns. */
  handle(exchange: Exchange): void
  /** Answers for an exception. */
  fault(exchange: Exchange, error: unknown): void
}

export class Listener implements ExchangeHost {
  draining = false
  held = 0
  readonly port: number
  readonly #app: TemplatedApp
  #socket: us_listen_socket | null
  readonly #fault: ListenOptions['fault']
  #whenIdle: (() => void) | null = null

  private constructor(app: TemplatedApp, socket: us_listen_socket, options: ListenOptions) {
    this.#app = app
    this.#socket = socket
    this.#fault = options.fault
    this.port = us_socket_local_port(socket)
  }

  /** Rejects with one sentence when the address cannot be had. */
  static open(options: ListenOptions): Promise<Listener> {
    const app = App()
    let listener: Listener | null = null
    app.any('/*', (res, req) => {
      const exchange = new Exchange(res, req, listener!)
      try {
        options.handle(exchange)
      } catch (error) {
        options.fault(exchange, error)
      }
      exchange.leave()
    })
    return new Promise((resolve, reject) => {
      app.listen(options.host, options.port, LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
        if (socket === false) {
          app.close()
          reject(new Error(`cannot listen on ${options.host} port ${options.port}: it is in use or not allowed`))
        } else {
          listener = new Listener(app, socket, options)
          resolve(listener)
        }
      })
    })
  }

  idle(): void {
    this.#whenIdle?.()
  }

  fault(exchange: Exchange, error: unknown): void {
    this.#fault(exchange, error)
  }

  /** Takes no new connections. */
  stopListening(): void {
    this.draining = true
    if (this.#socket !== null) us_listen_socket_close(this.#socket)
    this.#socket = null
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
    this.#app.close()
  }
}
