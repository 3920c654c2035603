/** What every handler gets: the engine, the settings that show on the wire, and the state of the server. */
import type { DecisionService, ServiceState } from '../engine/index.js'
import type { InProcess } from './http/in-process.js'
import type { OpenConnections } from './http/open-connections.js'
import type { Rates } from './http/rate-limit.js'
import type { Sessions } from './http/sessions.js'
import type { Tracer } from './http/request-trace.js'
import type { Traffic } from './http/traffic.js'
import type { FairWindow } from './routes/bulk/fair-window.js'
import type { ThreadRounds } from './routes/bulk/thread-rounds.js'
import type { SignOn } from './sso/sign-on.js'

export interface App {
  readonly service: DecisionService
  /** Name of the header that carries keys, in lower case. */
  readonly keyHeader: string
  /** True if the service itself serves TLS. */
  readonly servesTls: boolean
  /** New events are answered with `error_message` '' instead of null, for a client that cannot read null (S3). */
  readonly emptyErrorMessage: boolean
  /** The rate limit of callers; null: no limit. */
  readonly rateLimit: Rates | null
  /** Sessions of the console; null where it is switched off. */
  readonly sessions: Sessions | null
  /** Single sign-on; null where none is set up. */
  readonly signOn: SignOn | null
  /** The address at which browsers reach the service, or ''. */
  readonly publicUrl: string
  /** False: nobody signs in with a password. */
  readonly passwords: boolean
  /** Bounds the lines under way of all streams. */
  readonly window: FairWindow
  /** Shares the HTTP thread among all streams. */
  readonly rounds: ThreadRounds
  /** Answers a request of the process itself, as one from the port. */
  readonly inProcess: InProcess
  /** Hosts by which MCP clients may reach the service, beside addresses and localhost. */
  readonly mcpHosts: readonly string[]
  /** Traces requests; null: no traces. */
  readonly tracer: Tracer | null
  /** Counts requests and answers. */
  readonly traffic: Traffic
  /** The connections of the port. */
  readonly connections: OpenConnections
  /** Adds to `traffic` what other threads have counted. */
  gatherTraffic(): Promise<void>
  /**
   * Where the catalog here may be behind that of its owner: resolves when it has what was acknowledged before the call;
   * null where it has what was before `sinceMs`, of `performance.now()` (cluster/standby-reads.ts).
   */
  readonly catalogCurrent?: ((sinceMs?: number) => Promise<void> | null) | undefined
  /** What the probe of a node says beside its state; absent: this is no node of a cluster. */
  readonly node?: (() => { readonly node: 'serving'; readonly shards: readonly number[] }) | undefined
  /** The state of the service; only `ready` takes requests. */
  readonly state: ServiceState | 'draining'
  /** Calls `listener` when a drain begins, so that streams can end. The result removes the listener. */
  onDrain(listener: () => void): () => void
}
