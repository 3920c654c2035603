/**
 * The port of a node. It is open for the life of the process: the requests on it are served by the engine while this
 * node is the owner, and forwarded otherwise.
 *
 * Owns: who gets a request, and which requests the engine still has. Leaves out: forwarding (forwarder.ts), the
 * engine's routes (server.ts).
 *
 * 1. A connection lives on when the node becomes the owner, or is not any more.
 * 2. A request that the engine has begun is answered by the engine.
 */
import type { Exchange } from '../http/exchange.js'
import { replyError } from '../http/error-reply.js'
import { Listener, type ListenOptions } from '../http/listener.js'
import type { ServedPort } from '../server.js'

type Handling = Pick<ListenOptions, 'handle' | 'fault' | 'failed' | 'over'>

export interface DoorOptions extends Pick<ListenOptions, 'host' | 'port' | 'tls' | 'socketPaths'> {
  /** Serves what the engine does not. */
  elsewhere(exchange: Exchange): void
  failed(error: unknown): void
}

export class Door {
  readonly #listener: Listener
  readonly #served: ServedByEngine[]

  private constructor(listener: Listener, served: ServedByEngine[]) {
    this.#listener = listener
    this.#served = served
  }

  static async open(options: DoorOptions): Promise<Door> {
    const { elsewhere, failed, ...where } = options
    const served: ServedByEngine[] = []
    const having = (exchange: Exchange): ServedByEngine | undefined => served.find((one) => one.underWay.has(exchange))
    const listener = await Listener.open({
      ...where,
      handle: (exchange) => {
        const now = served.at(-1)
        if (now === undefined || now.draining) return elsewhere(exchange)
        now.underWay.add(exchange)
        now.handling.handle(exchange)
      },
      fault: (exchange, error) => (having(exchange)?.handling.fault ?? replyError)(exchange, error),
      failed: (exchange, error) => {
        const one = having(exchange)
        if (one === undefined) failed(error)
        else one.handling.failed(exchange, error)
      },
      over: (exchange, status) => {
        const one = having(exchange)
        one?.ended(exchange)
        one?.handling.over(exchange, status)
      },
    })
    return new Door(listener, served)
  }

  get port(): number {
    return this.#listener.port
  }

  /** The engine serves from now on, until its port stops listening. */
  serve(handling: Handling): ServedPort {
    const served = new ServedByEngine(handling, this.#listener, (one) => {
      const at = this.#served.indexOf(one)
      if (at >= 0) this.#served.splice(at, 1)
    })
    this.#served.push(served)
    return served
  }

  reloadTls(): Promise<void> {
    return this.#listener.reloadTls()
  }

  /** Accepts nothing more, and waits for what is forwarded. */
  async drain(limitMs: number): Promise<boolean> {
    this.#listener.stopListening()
    return await this.#listener.whenIdle(limitMs)
  }

  close(): void {
    this.#listener.close()
  }
}

/** What an engine serves at a door. */
class ServedByEngine implements ServedPort {
  draining = false
  readonly handling: Handling
  readonly underWay = new Set<Exchange>()
  readonly #listener: Listener
  readonly #closed: (one: ServedByEngine) => void
  #whenIdle: (() => void) | null = null

  constructor(handling: Handling, listener: Listener, closed: (one: ServedByEngine) => void) {
    this.handling = handling
    this.#listener = listener
    this.#closed = closed
  }

  get port(): number {
    return this.#listener.port
  }

  ended(exchange: Exchange): void {
    this.underWay.delete(exchange)
    if (this.underWay.size === 0) this.#whenIdle?.()
  }

  stopListening(): void {
    this.draining = true
  }

  async whenIdle(limitMs: number): Promise<boolean> {
    if (this.underWay.size === 0) return true
    return await new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs)
      this.#whenIdle = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  reloadTls(): Promise<void> {
    return this.#listener.reloadTls()
  }

  /** Cuts what is left. */
  close(): void {
    this.draining = true
    for (const exchange of [...this.underWay]) exchange.cut()
    this.#closed(this)
  }
}
