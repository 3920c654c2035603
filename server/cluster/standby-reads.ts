/**
 * What a node serves itself while another one owns the catalog: reads of stored events, from its copies, and events and
 * votes, which the engine takes to the owners of their shards.
 *
 * Owns: which requests are answered here, and serving them. Leaves out: which operations (operations.ts), whether the
 * copies are current (the engine), all other requests (forwarder.ts).
 *
 * 1. A read is answered here only if the copies have what was acknowledged before it came. Otherwise it is forwarded.
 * 2. Where nobody can say whether they have, it is answered all the same, and the header `X-Lag-Ms` says how old the
 *    copies may be. A client that does not want this sends `Cache-Control: no-cache`.
 * 3. The same routes, keys, scopes and schemas are used as by the owner.
 * 4. A request by the cookie of a session is forwarded: the owner has the sessions.
 * 5. A WebSocket cannot be forwarded. One without a key is refused here, as by the owner. Browsers send `no-cache` with
 *    each: then it is opened where the copies are current, and refused otherwise.
 * 6. A key, a scope or a job that the copy of the catalog does not have may be at the owner already. So an event or a
 *    vote is refused for it only when the copy is current; where nobody says how far it has to be, after 2 seconds.
 */
import type { DecisionService, Following, Log, ReadService } from '../../engine/index.js'
import { keyHeader, keyInHeaders, neutralHeader } from '../http/auth.js'
import type { Exchange } from '../http/exchange.js'
import type { HttpRequest } from '../http/native.js'
import { Server, type ServerOptions } from '../server.js'
import type { Door, ServedExchanges } from './door.js'
import { isWebSocket, needsOf, operationOf, readOperations, servedRoutes, writeOperations } from './operations.js'

/** The header that says how old an answer may be, milliseconds. */
export const LAG_HEADER = 'X-Lag-Ms'

/** Milliseconds for reads under way, when this node becomes the owner. */
const DRAIN_MS = 500

/** True for what every node answers: its operation is one of these, and it comes with a key or a token. */
export function isOfAnyNode(exchange: Exchange, serviceName: string): boolean {
  const operation = operationOf(exchange.method, exchange.path)
  const isKnown = operation !== null && (readOperations.has(operation) || writeOperations.has(operation))
  return isKnown && isByKey((name) => exchange.header(name), keyHeader(serviceName))
}

function isByKey(header: (name: string) => string, ownHeader: string): boolean {
  return header(ownHeader) !== '' || header(neutralHeader) !== '' || header('authorization') !== ''
}

export type StandbyServerOptions = Omit<ServerOptions, 'listen' | 'opsPort' | 'tracer' | 'console' | 'httpThreads'>

/** What is known of the copies. */
type Copies = Pick<Following, 'lagMs' | 'knownLagMs' | 'catalogCurrent' | 'service'>

export class StandbyReads {
  readonly #following: Copies
  readonly #keyHeader: string
  readonly #served: ServedExchanges
  readonly #server: Server

  static async open(
    door: Door,
    following: Copies,
    given: { readonly server: StandbyServerOptions; readonly log: Log },
  ): Promise<StandbyReads> {
    let served: ServedExchanges | null = null
    const service = asService(following.service, given.log)
    const server = await Server.start(service, {
      ...given.server,
      opsPort: undefined,
      console: false,
      httpThreads: 1,
      routes: servedRoutes,
      catalogCurrent: (sinceMs) => following.catalogCurrent(sinceMs),
      listen: async (handling) => (served = door.serveSome(handling)),
    })
    return new StandbyReads(following, server, served as unknown as ServedExchanges)
  }

  private constructor(following: Copies, server: Server, served: ServedExchanges) {
    this.#following = following
    this.#keyHeader = keyHeader(following.service.name)
    this.#server = server
    this.#served = served
  }

  /** What the request waits for, if it is answered here: how old the answer may be, or null where it is forwarded. */
  waitsFor(request: HttpRequest, method: string): Promise<number | null> | null {
    const header = (name: string): string => request.getHeader(name)
    const needs = needsOf(method || request.getMethod(), request.getUrl())
    if (needs !== null) return this.#lacks(needs, header) ? this.#untilCurrent() : null
    const isCurrent = /\bno-cache\b/i.test(header('cache-control'))
    if (!this.#isByKey(header) || (isCurrent && !isWebSocket(header('upgrade')))) return null
    const operation = operationOf(method || request.getMethod(), request.getUrl())
    if (operation === null || !readOperations.has(operation)) return null
    const lag = this.#following.lagMs()
    return isCurrent ? lag.then((lagMs) => (lagMs === 0 ? 0 : null)) : lag
  }

  /** True where the copy of the catalog refuses a request by a key. */
  #lacks({ scope, job }: NonNullable<ReturnType<typeof needsOf>>, header: (name: string) => string): boolean {
    const { service } = this.#following
    const key = keyInHeaders({ header }, { keyHeader: this.#keyHeader })
    const principal = key === '' ? null : service.authenticate(key)
    if (principal === null || !principal.scopes.has(scope)) return key !== ''
    try {
      if (job !== null && scope === 'write:events') service.jobForPosts(principal, Number(job))
      else if (job !== null) service.job(principal, Number(job))
      return false
    } catch {
      return true
    }
  }

  async #untilCurrent(): Promise<number> {
    await this.#following.catalogCurrent()
    return 0
  }

  /** True for an operation that changes something and is done here, and for a WebSocket that is refused here (5). */
  takes(exchange: Exchange): boolean {
    const operation = operationOf(exchange.method, exchange.path)
    const isByOwnKey = this.#isByKey((name) => exchange.header(name))
    if (operation === 'streamEvents' && isWebSocket(exchange.header('upgrade'))) return !isByOwnKey
    return operation !== null && writeOperations.has(operation) && isByOwnKey
  }

  #isByKey(header: (name: string) => string): boolean {
    return isByKey(header, this.#keyHeader)
  }

  /** How long ago the copies were last known to be current, milliseconds; null for never. */
  get knownLagMs(): number | null {
    return this.#following.knownLagMs
  }

  get served(): ServedExchanges {
    return this.#served
  }

  /** Answers no more. */
  async close(): Promise<void> {
    await this.#server.drain(DRAIN_MS)
    await this.#server.close()
  }
}

/** The routes of a standby use no other members of the service than these. */
function asService(service: ReadService, log: Log): DecisionService {
  const { live, autonomy, queries, explanations, clusters } = service
  const reads = {
    name: service.name,
    threads: service.threads,
    live,
    autonomy,
    queries,
    explanations,
    clusters,
    monitor: { log: () => log, state: 'ready' },
    authenticate: (key: string) => service.authenticate(key),
    job: (...given: Parameters<ReadService['job']>) => service.job(...given),
    jobByTitle: (...given: Parameters<ReadService['jobByTitle']>) => service.jobByTitle(...given),
    event: (...given: Parameters<ReadService['event']>) => service.event(...given),
    exportEvent: (...given: Parameters<ReadService['exportEvent']>) => service.exportEvent(...given),
    jobForPosts: (...given: Parameters<ReadService['jobForPosts']>) => service.jobForPosts(...given),
    ingest: service.ingest,
    ingestHistoric: service.ingestHistoric,
    giveFeedback: service.giveFeedback,
  }
  return reads as unknown as DecisionService
}
