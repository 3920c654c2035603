/** A request that is followed on its way, as those see it who have it in hand: tracing.ts has the rest. */
import type { EventView, TurnTrace } from '../../engine/index.js'

export interface RequestTrace extends TurnTrace {
  /** What became of its event. */
  decided(view: EventView): void
  /** The answer has left; a status of 0: the client went before. */
  ended(status: number): void
}

/** A request's headers, by their names in lower case; '' where it has none of the name. */
export interface RequestHeaders {
  header(name: string): string
}

/** Follows requests, or some of them. */
export interface Tracer {
  /** null where this one is not followed. Before the handler returns only. */
  follow(request: RequestHeaders, method: string, route: string): RequestTrace | null
}
