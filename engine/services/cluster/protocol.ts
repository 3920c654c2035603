/**
 * Which version of the service may be in a cluster: how nodes speak to each other, and what the same messages do.
 *
 * Owns: the value `protocol` of the cluster. Leaves out: formats of records and data, which have versions of their own
 * (runtime/log/turn-record.ts, cluster-facts.ts).
 *
 * | protocol | since                                                                       |
 * |----------|-----------------------------------------------------------------------------|
 * | 1        | one owner of all shards; then an owner for each shard, without this value   |
 * | 2        | turns between nodes are numbered (runtime/log/spread/parcel.ts)             |
 * | 3        | the rule for macro F1 may be off (domain/learn/rule-drift.ts)               |
 *
 * 1. All nodes of a cluster have one protocol. Versions with the same one may be mixed, as in a rolling upgrade.
 * 2. A node with a newer one raises the value, when no older node is live. From then on an older node does not start.
 * 3. A node that was cut off meanwhile sees the newer nodes when it comes back, and ends.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../errors.js'
import type { ClusterKeys, KeyValue } from '../../runtime/log/jetstream/cluster-keys.js'
import { LogUnavailable } from '../../runtime/log/turn-log.js'
import { LEASE, type Owner } from './lease.js'

export const PROTOCOL = 3

const KEY = 'protocol'
/** Milliseconds in which a live node writes its value, twice. */
const LIVE_MS = 2 * LEASE.renewMs + 500

/** What a node says of itself, as far as this file reads it. */
interface Speaker {
  readonly node: string
  readonly url: string
  /** Absent before there were protocols. */
  readonly protocol?: number
}

type Keys = Pick<ClusterKeys, 'get' | 'put' | 'all'>

/** Whether a node of this protocol may be in the cluster. Rejects with Refusal data_dir_newer, data_dir_invalid. */
export async function joinProtocol(keys: Keys, protocol = PROTOCOL, liveMs = LIVE_MS): Promise<void> {
  const found = await keys.get(KEY)
  const spoken = found === null ? 0 : (found.value as number)
  if (spoken > protocol) throw isNewer(spoken, protocol)
  if (spoken === protocol) return
  const older = await olderNode(keys, protocol, liveMs)
  if (older !== null)
    throw new Refusal(
      'data_dir_invalid',
      `the node at ${older.url} is of a version that works in another way (protocol ${older.protocol ?? 1}; this one ` +
        `has ${protocol}): stop all nodes of that version before you start this one`,
    )
  if ((await keys.put(KEY, protocol, found?.revision ?? 0)) !== null) return
  throw new LogUnavailable('another node raises the protocol of the cluster')
}

/** The sentence with which a node ends that is too old for the others. */
export function isNewer(spoken: number, protocol = PROTOCOL): Refusal {
  return new Refusal(
    'data_dir_newer',
    `the nodes of the cluster are of a newer version (protocol ${spoken}; this one has ${protocol}): update it`,
  )
}

/** A node with an older protocol that writes while it is watched; null where there is none. */
async function olderNode(keys: Keys, protocol: number, liveMs: number): Promise<Speaker | null> {
  const before = await speakers(keys, protocol)
  if (before.size === 0) return null
  await pause(liveMs)
  for (const [key, { revision, value }] of await speakers(keys, protocol))
    if (before.get(key)?.revision !== revision) return value as Speaker
  return null
}

/** What nodes with an older protocol have written, whether they are live or not: of themselves, and as owners. */
async function speakers(keys: Keys, protocol: number): Promise<Map<string, KeyValue>> {
  const nodes = await keys.all('node.*')
  const knows = (node: string): boolean =>
    ((nodes.get(`node.${node}`)?.value as Speaker | undefined)?.protocol ?? 1) >= protocol
  const older = new Map([...nodes].filter(([, { value }]) => !knows((value as Speaker).node)))
  const owner = await keys.get('owner')
  if (owner !== null && !knows((owner.value as Owner).node)) older.set('owner', owner)
  return older
}
