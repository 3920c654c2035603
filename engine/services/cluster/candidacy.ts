/**
 * Whether a standby may take the lease.
 *
 * 1. A standby takes it at once where nobody has it, where its holder is known to be gone, or where it was not renewed
 *    in time. It is wrong at times: then the log refuses the other one, and nothing is lost.
 * 2. The holder is known to be gone only where nobody listens for it at the servers, and its address refuses
 *    connections. An owner that is merely cut off from the servers may answer reads until its lease ends.
 */
import { createHash } from 'node:crypto'
import { mayBeThere } from '../../runtime/log/jetstream/owner-ping.js'
import type { ClusterLogs } from './cluster-logs.js'
import { LEASE, type Lease, type Owner } from './lease.js'
import { refusesConnections } from './owner-gone.js'

/** Milliseconds between two looks at the lease. */
export const LOOK_MS = 300
/** Looks without a listener after which the owner counts as gone, and milliseconds between two of them. */
const [SILENT_PINGS, PING_MS] = [3, 150]
/** Of two standbys that see the same, one waits up to this long. */
const YIELD_MS = 100

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export async function mayTake(
  { connection, name, node }: Pick<ClusterLogs, 'connection' | 'name' | 'node'>,
  lease: Pick<Lease, 'ageMs'>,
  owner: Owner | null,
): Promise<boolean> {
  if (owner?.node === node.node) return true
  const isOpen = owner === null || owner.state === 'free' || lease.ageMs > LEASE.ttlMs
  if (!isOpen) {
    for (let silent = 0; silent < SILENT_PINGS; silent++) {
      if (await mayBeThere(connection, name, owner.term)) return false
      if (!(await refusesConnections(owner.url))) return false
      await pause(PING_MS)
    }
  }
  await pause(yieldMs(owner?.term ?? '', node.node))
  return true
}

/** Rendezvous: after each term the standbys have another order. */
function yieldMs(term: string, node: string): number {
  const hash = createHash('sha256').update(term).update(node).digest()
  return (hash.readUInt16BE(0) / 65_536) * YIELD_MS
}
