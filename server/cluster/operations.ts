/**
 * What a node that does not own the catalog knows of an operation: whether it may answer it, and whether it may send it
 * to another node twice.
 *
 * Owns: these sets. Leaves out: who answers (standby-reads.ts), sending (forwarder.ts).
 */
import type { Scope } from '../../engine/index.js'
import { Router } from '../http/router.js'
import type { Route } from '../http/route.js'
import { routes } from '../routes/index.js'

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

/** Operations that are done here: their messages go to the owners of their shards. They use ReadService alone, too. */
export const writeOperations: ReadonlySet<string> = new Set([
  'postEvent',
  'postEventWithId',
  'postEventLines',
  'postHistoricEvents',
  'giveFeedback',
  'giveFeedbackByLabel',
  'withdrawFeedback',
  'withdrawFeedbackByLabel',
])

/** Changes that are the same when they are done twice: an event with an id of its sender (S6). */
const recognised: ReadonlySet<string> = new Set(['postEventWithId'])

export const servedRoutes = routes.filter(
  ({ operationId }) => readOperations.has(operationId) || writeOperations.has(operationId),
)

/** All routes, because a path may be that of another operation. */
const table = new Router<Route>()
for (const route of routes) table.add(route.method, route.path, route)

function routeOf(method: string, path: string): Route | null {
  const match = table.find(method, path)
  return match.found ? match.value : null
}

export function operationOf(method: string, path: string): string | null {
  return routeOf(method, path)?.operationId ?? null
}

/** What a request of an operation that is done here needs of the catalog; null for other requests. */
export function needsOf(method: string, path: string): { readonly scope: Scope; readonly job: string | null } | null {
  const match = table.find(method, path)
  if (!match.found || !writeOperations.has(match.value.operationId)) return null
  const { scope, path: pattern } = match.value
  // In each of them that names a job the job comes first.
  return { scope: scope as Scope, job: pattern.includes('{job_id}') ? (match.params[0] ?? null) : null }
}

/** What the header `Upgrade` says. Clients offer other protocols, too, and are answered without one. */
export function isWebSocket(upgrade: string): boolean {
  return upgrade.toLowerCase() === 'websocket'
}

/**
 * True for reads, and for what is recognised the second time. Not a vote, nor a change of a resource, although clients
 * may repeat some: the first try may still be on its way to a node that is cut off, and come there after somebody else
 * has changed the same.
 */
export function isRepeatable(method: string, path: string): boolean {
  if (['get', 'head', 'options'].includes(method)) return true
  const route = routeOf(method, path)
  if (route === null) return false
  const isRead = readOperations.has(route.operationId) || route.scope === null || route.scope.startsWith('read:')
  return recognised.has(route.operationId) || (route.isIdempotent === true && isRead)
}
