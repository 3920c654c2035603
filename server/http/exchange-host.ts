import type { Exchange } from './exchange.js'

/** The state and callbacks that all exchanges of a listener share. */
export interface ExchangeHost {
  /** True during a drain: each answer closes its connection. */
  draining: boolean
  /** Number of held exchanges that have not ended. */
  held: number
  /** Called when `held` falls to zero. */
  idle(): void
  /** Called at the end of an exchange: its status, or 0 if the client disconnected first. */
  over(exchange: Exchange, status: number): void
  /** Answers for an exception. */
  fault(exchange: Exchange, error: unknown): void
  /** Called for an exception that is a bug. */
  failed(exchange: Exchange, error: unknown): void
}
