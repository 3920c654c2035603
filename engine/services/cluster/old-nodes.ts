/**
 * Values of nodes that do not come back: `node.NAME` stays when its node is gone.
 *
 * Owns: removing them, after a day or at once. Leaves out: what follows for shards (owners/members.ts), the operator's
 * command (server/nodes.ts).
 *
 * 1. A value is removed only at the revision that was seen. A node that writes meanwhile keeps its own.
 * 2. A node that comes back writes its value again. So nothing is lost where one is removed too early.
 * 3. Ages are by the servers' clock alone: the newest of all values says what time it is. Clocks of nodes may jump.
 */
import type { ClusterKeys } from '../../runtime/log/jetstream/cluster-keys.js'
import { allNodes, type Member } from './owners/member.js'

/** Milliseconds after which a value goes, and between two looks. */
const [OLD_MS, LOOK_MS] = [24 * 3_600_000, 600_000]

type Keys = Pick<ClusterKeys, 'all' | 'remove'>

/** Removes the values of nodes that have not written for a day; returns those nodes. Rejects with LogUnavailable. */
export async function removeOldNodes(keys: Keys, oldMs = OLD_MS): Promise<readonly Member[]> {
  const values = [...(await keys.all(allNodes))]
  const nowMs = Math.max(...values.map(([, { storedMs }]) => storedMs))
  const old = values.filter(([, { storedMs }]) => nowMs - storedMs > oldMs)
  for (const [key, { revision }] of old) await keys.remove(key, revision)
  return old.map(([, { value }]) => value as Member)
}

/** Looks again and again, until the returned function is called. `removed` is told of each. */
export function watchOldNodes(keys: Keys, removed: (member: Member) => void): () => void {
  const look = async (): Promise<void> => {
    for (const member of await removeOldNodes(keys)) removed(member)
  }
  // Where the servers do not answer, or do not allow it, the value stays until the next look.
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS).unref()
  return () => clearInterval(timer)
}
