/**
 * The engine of a node that owns the catalog.
 *
 * Owns: what is opened and closed with it. Leaves out: when (cluster-node.ts), the shards (node-data.ts).
 */
import { answerPings } from '../../runtime/log/jetstream/owner-ping.js'
import { LogUnavailable } from '../../runtime/log/turn-log.js'
import type { ClusterLogs } from './cluster-logs.js'
import type { Following } from './following.js'
import type { Lease } from './lease.js'
import type { NodeData } from './node-data.js'
import type { NodeDeps, OwnedEngine } from './node-deps.js'
import { OwnerLogs } from './owner-logs.js'
import type { NodeShards } from './owners/node-shards.js'
import { Tenure } from './tenure.js'

/** What there is while this node is the owner. */
export interface Opened<Engine> {
  readonly engine: Engine
  readonly logs: OwnerLogs
  readonly tenure: Tenure
}

/** What the node has before. */
export interface EngineParts {
  readonly logs: ClusterLogs
  readonly lease: Lease
  readonly shards: NodeShards
  readonly following: Following
  readonly data: NodeData
  readonly term: string
  /** False where this node may not be the owner any more. */
  isOwner(): boolean
}

/** Begins as the catalog's writer, and opens the engine. Rejects with LogUnavailable, LogGap, and as `open` does. */
export async function openEngineOver<Engine extends OwnedEngine>(
  { cluster, open, told }: Pick<NodeDeps<Engine>, 'cluster' | 'open' | 'told'>,
  { logs: clusterLogs, lease, shards, following, data, term, isOwner }: EngineParts,
): Promise<Opened<Engine>> {
  const { connection, name, node } = clusterLogs
  const tenure = new Tenure(lease, { node: node.node, term, url: cluster.url, state: 'taking' })
  tenure.onEnd(answerPings(connection, name, term))
  const lost = (why: string): void => tenure.suspend(why)
  let logs: OwnerLogs | null = null
  try {
    const begun = await following.begin(term)
    // Perhaps behind another owner. Where the lease is this one's after that, who takes it later begins later.
    if (!isOwner()) await tenure.become('taking')
    if (!isOwner()) throw new LogUnavailable('another node may have taken the lease meanwhile')
    logs = new OwnerLogs({ logs: clusterLogs, address: cluster.address, term, begun, data, lost })
    const engine = await open(logs.ofEngine)
    const written = logs
    shards.catalog = {
      applied: () => Number.POSITIVE_INFINITY,
      sequence: () => written.sequence,
      job: (id) => engine.jobSettings(id),
    }
    logs.answer({ noteUses: engine.noteUses, isOwner })
    told('this node is the owner', { node: node.node, term })
    return { engine, logs, tenure }
  } catch (error) {
    tenure.end()
    await logs?.close()
    throw error
  }
}

/** Closes what could not be served. */
export async function abandon<Engine extends OwnedEngine>(opened: Opened<Engine> | null): Promise<void> {
  if (opened === null) return
  opened.logs.abandon()
  await opened.engine.close()
  await opened.logs.close()
  opened.tenure.end()
}
