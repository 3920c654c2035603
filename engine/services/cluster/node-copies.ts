/**
 * What a node does for its copies beside applying the logs: snapshots, and comparing with other nodes.
 *
 * Owns: both, for the life of the node. Leaves out: who has the files open, and as what (`source`).
 */
import type { BlockSum } from '../../actor/log/block-sums.js'
import { SnapshotThreads } from '../../runtime/log/snapshots/snapshot-threads.js'
import type { ClusterLogs, ClusterOptions } from './cluster-logs.js'
import { BLOCK_RECORDS } from '../../actor/log/block-sums.js'
import { Comparison } from './copies/comparison.js'
import { dropDiffering, noteDiffering } from './copies/differing.js'
import { SNAPSHOT_DEFAULTS, type PartRole, type SnapshotPart } from './snapshots/snapshot-part.js'
import { Snapshots } from './snapshots/snapshots.js'

/** Who has the copies open. */
export interface CopySource {
  readonly role: Exclude<PartRole, 'none'>
  sumsOf(shard: number): readonly BlockSum[]
}

interface NodeCopiesDeps {
  readonly dataDir: string
  readonly cluster: Pick<ClusterOptions, 'address' | 'snapshots' | 'mayRestore'>
  told(what: string, details?: Readonly<Record<string, unknown>>): void
  failed(what: string, error: unknown): void
  fatal(why: string): void
}

export class NodeCopies {
  /** Null while nobody has them open. */
  source: CopySource | null = null
  readonly #logs: ClusterLogs
  readonly #deps: NodeCopiesDeps
  readonly #snapshots: Snapshots
  readonly #comparison: Comparison

  constructor(logs: ClusterLogs, deps: NodeCopiesDeps) {
    this.#logs = logs
    this.#deps = deps
    const { keys, node, parts, replicas, snapshots } = logs
    const { dataDir, cluster, told, failed } = deps
    const bucket = { address: cluster.address, bucket: snapshots.bucket, replicas }
    const roleOf = (): PartRole => this.source?.role ?? 'none'
    this.#snapshots = new Snapshots({
      dataDir,
      node: node.node,
      parts,
      settings: cluster.snapshots ?? SNAPSHOT_DEFAULTS,
      keys,
      objects: snapshots.objects,
      worker: new SnapshotThreads(bucket, (error) => failed('a thread of snapshots died', error)),
      roleOf,
      told,
      failed,
    })
    this.#comparison = new Comparison({
      ...node,
      keys,
      shards: logs.shards.length,
      sumsOf: (shard) => this.source?.sumsOf(shard) ?? [],
      roleOf,
      differs: (shard, block) => void this.#differs(parts[shard] as SnapshotPart, block),
      failed,
    })
    this.#snapshots.begin()
    this.#comparison.begin()
  }

  /** Restores the copies that the logs cannot complete, before anybody opens them. */
  async restore(): Promise<void> {
    dropDiffering(this.#deps.dataDir, this.#logs.parts, this.#deps.cluster.mayRestore === true)
    await this.#snapshots.restore()
  }

  async close(): Promise<void> {
    this.#comparison.close()
    await this.#snapshots.close()
  }

  async #differs(part: SnapshotPart, block: number): Promise<void> {
    const { dataDir, fatal } = this.#deps
    const at = { dataDir, node: this.#logs.node.node }
    const why = await noteDiffering(at, part, block * BLOCK_RECORDS).catch((error: unknown) => String(error))
    fatal(why)
  }
}
