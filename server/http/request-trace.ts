/** The interface between requests and tracing.ts, which implements it. */
import type { EventView, TurnTrace } from '../../engine/index.js'
import type { Exchange } from './exchange.js'

export interface RequestTrace extends TurnTrace {
  /** The event was decided or stored. */
  decided(view: EventView): void
  /** The answer was sent; status 0: the client disconnected first. */
  ended(status: number): void
}

/** Traces all requests, or some of them. */
export interface Tracer {
  /** Starts the trace of a request; null if it is not traced. Only before the handler returns. */
  follow(exchange: Exchange, method: string, route: string): RequestTrace | null
}
