/**
 * The HTTP threads, as the main thread sees them: it accepts connections and hands each to one of them in turn.
 *
 * Owns: their start and end, the socket that accepts. Leaves out: their messages (thread-handle.ts), their requests
 * (main-lane.ts, served-request.ts).
 *
 * 1. The port belongs to this process alone, as with one thread. Connections are handed out one by one, so that few
 *    connections use all threads.
 * 2. A thread that ends by itself is a bug, and ends the process, as an error on the main thread does: what it had
 *    acknowledged is on disk.
 * 3. A new certificate is another app on each thread. Connections of the one before stay.
 */
import { once } from 'node:events'
import type { ExchangeHost } from '../http/exchange.js'
import { listenOn } from '../http/listener.js'
import {
  App as PlainApp,
  LIBUS_LISTEN_EXCLUSIVE_PORT,
  SSLApp,
  us_listen_socket_close,
  us_socket_local_port,
  type HttpApp,
  type ListenSocket,
} from '../http/native.js'
import { checkTlsFiles } from '../http/tls.js'
import { HttpThread, type HttpThreadsOptions } from './thread-handle.js'

/** Milliseconds between two looks at the log level. */
const LEVEL_MS = 1_000
export class HttpThreads {
  readonly #options: HttpThreadsOptions
  readonly #threads: readonly HttpThread[]
  /** Accepts connections, and hands them to the threads. */
  readonly #acceptor: HttpApp
  readonly #level: NodeJS.Timeout
  #socket: ListenSocket | null = null
  #port = 0
  draining = false

  private constructor(options: HttpThreadsOptions) {
    this.#options = options
    const { tls, log, shared } = options
    // The acceptor of connections with TLS has to have it, too.
    this.#acceptor = tls === undefined ? PlainApp() : SSLApp(tls)
    shared.debug = log.enabled('debug')
    const isDraining = (): boolean => this.draining
    const host: ExchangeHost = {
      ...options.handling,
      get draining() {
        return isDraining()
      },
      held: 0,
      idle() {},
    }
    this.#threads = Array.from({ length: options.count }, () => new HttpThread(options, host))
    this.#level = setInterval(() => {
      shared.debug = log.enabled('debug')
    }, LEVEL_MS).unref()
  }

  /** Rejects with one sentence if the address is not available or the certificate is invalid. */
  static async open(options: HttpThreadsOptions): Promise<HttpThreads> {
    if (options.tls !== undefined) checkTlsFiles(options.tls)
    const threads = new HttpThreads(options)
    try {
      await threads.#listen()
      return threads
    } catch (error) {
      await threads.close()
      throw error
    }
  }

  async #listen(): Promise<void> {
    const { host, port } = this.#options
    await Promise.all(
      this.#threads.map(async (thread) => {
        thread.descriptor = (await thread.next('ready')).descriptor
        this.#acceptor.addChildAppDescriptor!(thread.descriptor)
      }),
    )
    this.#socket = await listenOn(this.#acceptor, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT)
    this.#port = us_socket_local_port(this.#socket)
  }

  /** The port it listens on. */
  get port(): number {
    return this.#port
  }

  /**
   * Uses another certificate for new connections (3). If it is invalid, rejects with one sentence and changes
   * nothing.
   */
  async reloadTls(): Promise<void> {
    const { tls } = this.#options
    if (tls === undefined || this.#socket === null) return
    checkTlsFiles(tls)
    for (const thread of this.#threads) {
      const renewed = thread.next('renewed')
      thread.tell({ t: 'renew' })
      const { descriptor } = await renewed
      this.#acceptor.addChildAppDescriptor!(descriptor)
      this.#acceptor.removeChildAppDescriptor!(thread.descriptor)
      thread.descriptor = descriptor
    }
  }

  /** Adds the counts of the threads to those of the main thread. */
  async gatherTraffic(): Promise<void> {
    await Promise.all(
      this.#threads.map(async (thread) => {
        const told = thread.next('traffic')
        thread.tell({ t: 'traffic' })
        await told
      }),
    )
  }

  stopListening(): void {
    this.draining = true
    if (this.#socket !== null) us_listen_socket_close(this.#socket)
    this.#socket = null
    clearInterval(this.#level)
  }

  /** Ends streams, and refuses new requests on all threads. Resolves with false if some are left after the limit. */
  async whenIdle(limitMs: number): Promise<boolean> {
    this.stopListening()
    const results = await Promise.all(
      this.#threads.map(async (thread) => {
        const drained = thread.next('drained')
        thread.tell({ t: 'drain', limitMs })
        return (await drained).whole
      }),
    )
    return results.every((whole) => whole)
  }

  /** Closes every connection, and ends the threads. Resolves when they have ended. */
  async close(): Promise<void> {
    this.stopListening()
    this.#acceptor.close()
    const running = this.#threads.filter(({ isOver }) => !isOver)
    const ended = Promise.all(running.map(({ worker }) => once(worker, 'exit')))
    for (const thread of running) {
      thread.isOver = true
      thread.lane.close()
      thread.tell({ t: 'close' })
    }
    await ended
  }
}
