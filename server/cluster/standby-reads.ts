/**
 * Reads of stored events on a node that is not the owner: they are answered here, from its copies.
 *
 * Owns: which requests are answered here, and serving them. Leaves out: whether the copies are current (the engine),
 * all other requests (forwarder.ts).
 *
 * 1. A read is answered here only if the copies have what was acknowledged before it came. Otherwise it is forwarded.
 * 2. Where nobody can say whether they have, it is answered all the same, and the header `X-Lag-Ms` says how old the
 *    copies may be. A client that does not want this sends `Cache-Control: no-cache`.
 * 3. The same routes, keys, scopes and schemas are used as by the owner.
 * 4. A request by the cookie of a session is forwarded: the owner has the sessions.
 */
import type { DecisionService, Following, Log, ReadService } from '../../engine/index.js'
import { keyHeader, neutralHeader } from '../http/auth.js'
import type { HttpRequest } from '../http/native.js'
import type { Route } from '../http/route.js'
import { Router } from '../http/router.js'
import { routes } from '../routes/index.js'
import { Server, type ServerOptions } from '../server.js'
import type { Door, ServedExchanges } from './door.js'

/** The operations that are answered from copies. They use the members of ReadService, and no others. */
export const readOperations: ReadonlySet<string> = new Set([
  'getEvent',
  'exportEvent',
  'explainEvent',
  'listSimilarEvents',
  'decideBody',
  'queryEvents',
  'searchEvents',
  'listFilterFields',
  'mapFilterFields',
  'listEvents',
  'countFacets',
  'getEventFile',
  'describeSample',
  'listClusters',
  'getCluster',
  'streamEvents',
])

/** The header that says how old an answer may be, milliseconds. */
export const LAG_HEADER = 'X-Lag-Ms'

/** Milliseconds for reads under way, when this node becomes the owner. */
const DRAIN_MS = 500

const readRoutes = routes.filter(({ operationId }) => readOperations.has(operationId))
/** All routes, because a path may be that of another operation. */
const table = new Router<Route>()
for (const route of routes) table.add(route.method, route.path, route)

export type StandbyServerOptions = Omit<ServerOptions, 'listen' | 'opsPort' | 'tracer' | 'console' | 'httpThreads'>

export class StandbyReads {
  readonly #following: Pick<Following, 'lagMs' | 'knownLagMs'>
  readonly #keyHeader: string
  readonly #served: ServedExchanges
  readonly #server: Server

  static async open(
    door: Door,
    following: Pick<Following, 'lagMs' | 'knownLagMs' | 'service'>,
    given: { readonly server: StandbyServerOptions; readonly log: Log },
  ): Promise<StandbyReads> {
    let served: ServedExchanges | null = null
    const service = asService(following.service, given.log)
    const server = await Server.start(service, {
      ...given.server,
      opsPort: undefined,
      console: false,
      httpThreads: 1,
      routes: readRoutes,
      listen: async (handling) => (served = door.serveSome(handling)),
    })
    return new StandbyReads(following, server, served as unknown as ServedExchanges)
  }

  private constructor(
    following: Pick<Following, 'lagMs' | 'knownLagMs' | 'service'>,
    server: Server,
    served: ServedExchanges,
  ) {
    this.#following = following
    this.#keyHeader = keyHeader(following.service.name)
    this.#server = server
    this.#served = served
  }

  /** What the request waits for, if it is answered here: how old the answer may be, or null where it is forwarded. */
  waitsFor(request: HttpRequest, method: string): Promise<number | null> | null {
    const has = (name: string): boolean => request.getHeader(name) !== ''
    if (!has(this.#keyHeader) && !has(neutralHeader) && !has('authorization')) return null
    if (/\bno-cache\b/i.test(request.getHeader('cache-control'))) return null
    const match = table.find(method || request.getMethod(), request.getUrl())
    return match.found && readOperations.has(match.value.operationId) ? this.#following.lagMs() : null
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
  }
  return reads as unknown as DecisionService
}
