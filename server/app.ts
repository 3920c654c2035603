/** What every handler is given: the engine, and the few settings that show on the wire. */
import type { DecisionService, ServiceState } from '../engine/index.js'
import type { HeaderName } from './http/header-name.js'
import type { RateLimit } from './http/rate-limit.js'
import type { Tracer } from './http/request-trace.js'
import type { Traffic } from './http/traffic.js'
import type { FairWindow } from './routes/bulk/fair-window.js'

export interface App {
  readonly service: DecisionService
  /** The header that carries keys, lower case. */
  readonly keyHeader: HeaderName
  /** The service serves TLS itself. */
  readonly servesTls: boolean
  /** A new event's `error_message`: '' for the one client that cannot take null (S3). */
  readonly emptyErrorMessage: boolean
  /** How many requests a second a caller may make; null: as many as it likes. */
  readonly rateLimit: RateLimit | null
  /** What all NDJSON requests have under way. */
  readonly window: FairWindow
  /** Follows requests; null: nobody does. */
  readonly tracer: Tracer | null
  /** What came in and how it went. */
  readonly traffic: Traffic
  /** Whether requests should come here. */
  readonly state: ServiceState | 'draining'
  /** Runs at the start of a drain; answers that stream end themselves. The result takes it off the list. */
  onDrain(listener: () => void): () => void
}
