/** What all exchanges of a server share. */
export interface ExchangeHost<Exchange> {
  /** Answers close their connection, so that clients go elsewhere. */
  draining: boolean
  /** Exchanges that are held: begun and not yet over. */
  held: number
  /** Called when `held` falls to zero. */
  idle(): void
  /** Told of an exchange's end: its status, or 0 where the client went first. */
  over(exchange: Exchange, status: number): void
  /** Answers for an exception. */
  fault(exchange: Exchange, error: unknown): void
  /** Told of an exception that is a bug. */
  failed(exchange: Exchange, error: unknown): void
}
