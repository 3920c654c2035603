/**
 * The name of a node: one process at a time runs under it.
 *
 * Owns: taking the name at a start. Leaves out: keeping it (owners/members.ts), where the name is from
 * (cluster-facts.ts).
 *
 * A data directory that was copied, or is on a disk of two machines, gives two processes one name. Each would take the
 * shards and the lease of the other as its own, and nodes would send requests of one to the other.
 *
 * 1. The name is taken by the revision of the node's value: of two processes that start together, one gets it.
 * 2. The process before is gone where the servers know of nobody who listens for it, and its address refuses
 *    connections or is now this one's. So a node that was killed starts again at once.
 * 3. Where nothing is known of it (its machine is gone, or cut off; the process is stopped), the start waits as long as
 *    a lease. Who writes meanwhile is live. Who comes back later finds another process under its name, and ends.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ClusterKeys, KeyValue } from '../../runtime/log/jetstream/cluster-keys.js'
import { Refusal } from '../../errors.js'
import type { NatsConnection } from '../../runtime/log/jetstream/cluster-connection.js'
import { askFor } from '../../runtime/log/jetstream/owner-ping.js'
import { LogUnavailable } from '../../runtime/log/turn-log.js'
import { LEASE } from './lease.js'
import { refusesConnections } from './owner-gone.js'
import { allNodes, isTaken, nodeKey, type Member, type OwnMember } from './owners/member.js'
import { PROTOCOL } from './protocol.js'

/** `here`: it answers. `unknown`: it may be cut off, or stopped. */
export type Presence = 'here' | 'gone' | 'unknown'

/** Asks the servers for the process of a member, and its address, unless that is `ownUrl`. */
export function presenceOf(connection: NatsConnection, name: string, ownUrl?: string) {
  return async ({ process, url }: Member): Promise<Presence> => {
    const found = await askFor(connection, name, process)
    if (found !== 'gone' || url === ownUrl) return found
    return (await refusesConnections(url)) ? 'gone' : 'unknown'
  }
}

export interface NodeClaimDeps {
  readonly keys: Pick<ClusterKeys, 'get' | 'put' | 'all'>
  /** Whether the process that runs as a member is there. */
  presence(member: Member): Promise<Presence>
  /** Milliseconds without a sign of a process until it counts as gone, and between two looks. */
  readonly limits?: { readonly silentMs: number; readonly lookMs: number }
}

const LIMITS = { silentMs: LEASE.ttlMs, lookMs: 200 }

/**
 * Takes the name; returns the revision of its value. The process answers those who ask for it already: another one may
 * start at the same time. Rejects with Refusal data_dir_in_use where a live process has the name, and LogUnavailable.
 */
export async function claimNode(deps: NodeClaimDeps, own: OwnMember): Promise<number> {
  const { keys } = deps
  await mustHaveOwnUrl(deps, own)
  const key = nodeKey(own.node)
  const before = await keys.get(key)
  // Otherwise an earlier try was stored without an answer.
  const isOther = (before?.value as Member | undefined)?.process !== own.process
  if (before !== null && isOther && (await isLive(deps, before))) throw isTaken(before.value as Member)
  const claim: Member = { ...own, protocol: PROTOCOL, state: 'joining', count: 0 }
  const revision = await keys.put(key, claim, before?.revision ?? 0)
  if (revision === null) throw new LogUnavailable('another process writes the value of this node')
  return revision
}

/** Requests to one of two nodes with one address would go to the other. @throws Refusal data_dir_invalid. */
async function mustHaveOwnUrl({ keys, presence }: NodeClaimDeps, { node, url }: OwnMember): Promise<void> {
  for (const { value } of (await keys.all(allNodes)).values()) {
    const member = value as Member
    if (member.node !== node && member.url === url && (await presence(member)) === 'here')
      throw new Refusal(
        'data_dir_invalid',
        `node ${member.node} of the cluster has the address ${url}, too: set SERVICE_CLUSTER_URL to where the other ` +
          'nodes reach this one',
      )
  }
}

/** Whether the process is live that has written this value of a node. Rejects with LogUnavailable. */
export async function isLive({ keys, presence, limits = LIMITS }: NodeClaimDeps, before: KeyValue): Promise<boolean> {
  const member = before.value as Member
  for (const beganMs = performance.now(); performance.now() - beganMs < limits.silentMs; await pause(limits.lookMs)) {
    const found = await presence(member)
    if (found === 'gone') return false
    // It writes: it is live, although it may not answer.
    if (found === 'here' || (await keys.get(nodeKey(member.node)))?.revision !== before.revision) return true
  }
  return false
}
