/** The interface between requests and tracing.ts, which implements it. */
import type { EventView, TurnTrace } from '../../engine/index.js'

export interface RequestTrace extends TurnTrace {
  /** The event was decided or stored. */
  decided(view: EventView): void
  /** The answer was sent; status 0: the client disconnected first. */
  ended(status: number): void
}

/** The headers of a request, by name in lower case; '' if a header is absent. */
export interface RequestHeaders {
  header(name: string): string
}

/** Traces all requests, or some of them. */
export interface Tracer {
  /** Starts the trace of a request; null if it is not traced. Only before the handler returns. */
  follow(request: RequestHeaders, method: string, route: string): RequestTrace | null
}
