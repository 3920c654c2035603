/** Who follows requests: tracing.ts does, where traces are wanted. */
import type { Exchange } from './exchange.js'
import type { RequestTrace } from './request-trace.js'

/** Follows requests, or some of them. */
export interface Tracer {
  /** null where this one is not followed. Before the handler returns only. */
  follow(exchange: Exchange, method: string, route: string): RequestTrace | null
}
