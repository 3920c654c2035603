/**
 * The port of a node. It is open for the life of the process: the requests on it are served by the engine while this
 * node is the owner. Otherwise some are served from copies, and the others are forwarded.
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

export interface DoorOptions extends Pick<ListenOptions, 'host' | 'port' | 'tls' | 'socketPaths' | 'connections'> {
  /** Serves what the engine does not. `waited`: what `waitsFor` resolved to. */
  elsewhere(exchange: Exchange, waited?: number | null): void
  /** What a request waits for that the engine does not serve (listener.ts). */
  waitsFor?: ListenOptions['waitsFor']
  /** The same, of one that the engine serves. Never resolves to null. */
  ownerWaitsFor?: ListenOptions['waitsFor']
  /** Told of each request before the engine serves it. `waited`: what `ownerWaitsFor` resolved to. */
  serving?(exchange: Exchange, waited?: number | null): void
  failed(error: unknown): void
}

/** What serves some requests: those that it is given. */
export interface ServedExchanges extends ServedPort {
  take(exchange: Exchange): void
}

export class Door {
  readonly #listener: Listener
  readonly #served: Served[]

  private constructor(listener: Listener, served: Served[]) {
    this.#listener = listener
    this.#served = served
  }

  static async open(options: DoorOptions): Promise<Door> {
    const { elsewhere, failed, serving, waitsFor, ownerWaitsFor, ...where } = options
    const served: Served[] = []
    const having = (exchange: Exchange): Served | undefined => served.find((one) => one.underWay.has(exchange))
    const owner = (): Served | undefined => served.findLast((one) => one.takesAll && !one.draining)
    const listener = await Listener.open({
      ...where,
      handle: (exchange, waited) => {
        const now = owner()
        // Null: the copies were behind when the engine did not serve yet. It has the same copies.
        if (now === undefined || waited === null) return elsewhere(exchange, waited)
        serving?.(exchange, waited)
        now.take(exchange)
      },
      ...(waitsFor === undefined && ownerWaitsFor === undefined
        ? {}
        : {
            waitsFor: (request, method) =>
              (owner() === undefined ? waitsFor : ownerWaitsFor)?.(request, method) ?? null,
          }),
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
    return this.#serve(handling, true)
  }

  /** Serves what it is given, until it stops listening. */
  serveSome(handling: Handling): ServedExchanges {
    return this.#serve(handling, false)
  }

  #serve(handling: Handling, takesAll: boolean): Served {
    const served = new Served(handling, { listener: this.#listener, takesAll }, (one) => {
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

/** What is served at a door by the same routes. */
class Served implements ServedExchanges {
  draining = false
  /** It takes all requests, as the engine of the owner. */
  readonly takesAll: boolean
  readonly handling: Handling
  readonly underWay = new Set<Exchange>()
  readonly #listener: Listener
  readonly #closed: (one: Served) => void
  #whenIdle: (() => void) | null = null

  constructor(
    handling: Handling,
    { listener, takesAll }: { readonly listener: Listener; readonly takesAll: boolean },
    closed: (one: Served) => void,
  ) {
    this.handling = handling
    this.takesAll = takesAll
    this.#listener = listener
    this.#closed = closed
  }

  get port(): number {
    return this.#listener.port
  }

  take(exchange: Exchange): void {
    this.underWay.add(exchange)
    this.handling.handle(exchange)
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
