/**
 * The HTTP service around an engine: from a request to its route.
 *
 * Owns: the router, unknown paths and methods, that a route is served to whoever has its scope, draining. Leaves out: the engine's life (main.ts), each operation
 * (routes/), sockets (http/listener.ts).
 */
import { limits, Refusal, type DecisionService } from '../engine/index.js'
import type { App } from './app.js'
import { authorize } from './http/auth.js'
import { replyError, replyHttpError, replyRefusal } from './http/error-reply.js'
import type { Exchange } from './http/exchange.js'
import { Listener } from './http/listener.js'
import type { Route } from './http/route.js'
import { RateLimit } from './http/rate-limit.js'
import { Router } from './http/router.js'
import { FairWindow } from './routes/fair-window.js'
import { routes } from './routes/index.js'

export interface ServerOptions {
  readonly host: string
  /** 0 takes any free one. */
  readonly port: number
  readonly emptyErrorMessage: boolean
  /** Requests a second for each key and user; 0 or absent: as many as they like. */
  readonly rateLimit?: number | undefined
  /** How many of them at once after a rest; absent: those of two seconds. */
  readonly rateBurst?: number | undefined
}

export class Server {
  readonly #listener: Listener
  readonly #drainListeners: Set<() => void>

  private constructor(listener: Listener, drainListeners: Set<() => void>) {
    this.#listener = listener
    this.#drainListeners = drainListeners
  }

  /** Rejects with one sentence when the address cannot be had. */
  static async start(service: DecisionService, options: ServerOptions): Promise<Server> {
    const drainListeners = new Set<() => void>()
    const app: App = {
      service,
      emptyErrorMessage: options.emptyErrorMessage,
      rateLimit: rateLimitOf(options),
      window: new FairWindow(service.threads),
      onDrain(listener) {
        drainListeners.add(listener)
        return () => drainListeners.delete(listener)
      },
    }
    const router = new Router<Route>()
    for (const route of routes) router.add(route.method, route.path, route)
    const listener = await Listener.open({
      host: options.host,
      port: options.port,
      handle: (exchange) => dispatch(exchange, router, app),
      fault: replyError,
    })
    return new Server(listener, drainListeners)
  }

  /** The port it listens on. */
  get port(): number {
    return this.#listener.port
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
  }
}

function rateLimitOf({ rateLimit = 0, rateBurst }: ServerOptions): RateLimit | null {
  return rateLimit === 0 ? null : new RateLimit(rateLimit, rateBurst ?? Math.max(1, 2 * rateLimit))
}

/** The one place where a route's scope is enforced. */
function serve(exchange: Exchange, route: Route, params: readonly string[], app: App): void {
  if (route.scope === null) route.serve(exchange, params, app)
  else route.serve(exchange, params, app, authorize(exchange, app, route.scope))
}

function dispatch(exchange: Exchange, router: Router<Route>, app: App): void {
  if (exchange.draining) return replyRefusal(exchange, new Refusal('draining', 'the service is shutting down'))
  const match = router.find(exchange.method, exchange.path)
  if (match.found) return serve(exchange, match.value, match.params, app)
  if (match.allow.length === 0) return replyHttpError(exchange, 404, 'not found')
  replyHttpError(exchange, 405, 'method not allowed', [['Allow', match.allow.join(', ')]])
}
