/**
 * The connection of a node to its cluster: the servers are checked, and all logs are open.
 *
 * Owns: the order of the checks at a start. Leaves out: the checks (cluster-check.ts, cluster-facts.ts).
 */
import { randomBytes } from 'node:crypto'
import type { EngineOptions } from '../../options.js'
import { SHARDS_DEFAULT } from '../../options.js'
import { checkServers, mustBeChecked, REPLICAS } from '../../runtime/log/jetstream/cluster-check.js'
import {
  connectToCluster,
  type ClusterAddress,
  type NatsConnection,
} from '../../runtime/log/jetstream/cluster-connection.js'
import { ClusterKeys } from '../../runtime/log/jetstream/cluster-keys.js'
import { JetStreamLog } from '../../runtime/log/jetstream/jetstream-log.js'
import { answerPings } from '../../runtime/log/jetstream/owner-ping.js'
import { ObjectBucket } from '../../runtime/log/jetstream/object-bucket.js'
import { SnapshotThreads } from '../../runtime/log/snapshots/snapshot-threads.js'
import { SnapshotList } from '../../runtime/log/snapshots/snapshot-list.js'
import { LogUnavailable, type RecordLog } from '../../runtime/log/turn-log.js'
import { makeDataDir } from '../../store/directory/data-dir.js'
import { lockDataDir } from '../../store/directory/data-lock.js'
import { LEDGER } from '../verify/watermarks.js'
import { joinDirectory, nodeFileOf, refuseWrongName, placeSealingKey, type NodeFile } from './cluster-facts.js'
import { claimNode, presenceOf } from './node-claim.js'
import { joinProtocol } from './protocol.js'
import { importData, type ImportDeps } from './snapshots/import-data.js'
import type { SnapshotPart, SnapshotSettings } from './snapshots/snapshot-part.js'

/** Milliseconds until a start gives up, and between two tries. */
const [START_MS, RETRY_MS] = [20_000, 200]

export interface ClusterOptions {
  readonly address: ClusterAddress
  /** Addresses where the NATS servers tell how they are set up (/varz). */
  readonly monitors: readonly string[]
  /** Where other nodes reach this one. */
  readonly url: string
  /** 64 hexadecimal digits, for a new data directory. */
  readonly sealingKey?: string | undefined
  /** The servers are not checked, and may be fewer than three: for trials only. */
  readonly isTrial: boolean
  readonly snapshots?: SnapshotSettings | undefined
  /** A copy that differs from those of other nodes is restored from a snapshot, when the node starts. */
  readonly mayRestore?: boolean | undefined
}

export interface ClusterLogs {
  readonly connection: NatsConnection
  readonly keys: ClusterKeys
  readonly node: NodeFile
  /** Of this life of the process: 8 bytes in hexadecimal. */
  readonly process: string
  /** At which this process took the name of its node. */
  readonly revision: number
  /** Of the streams. */
  readonly name: string
  readonly replicas: number
  readonly shards: readonly RecordLog[]
  readonly catalog: RecordLog
  /** What snapshots are made of: the shards in order, then the catalog. */
  readonly parts: readonly SnapshotPart[]
  /** The bucket of snapshots, and its objects. */
  readonly snapshots: { readonly bucket: string; readonly objects: ObjectBucket }
  close(): Promise<void>
}

/** Rejects with Refusal, UnfitForLog or LogUnavailable: their messages say what to do. */
export async function openClusterLogs(
  options: EngineOptions,
  cluster: ClusterOptions & Pick<ImportDeps, 'told'>,
): Promise<ClusterLogs> {
  const { dataDir, name, shards = SHARDS_DEFAULT } = options
  // A node that was in the cluster before starts although a minority of the servers is away.
  const awayMax = nodeFileOf(dataDir) === null ? 0 : Math.floor((cluster.monitors.length - 1) / 2)
  const checked = cluster.isTrial ? null : await checkServers(cluster.monitors, Date.now, awayMax)
  const replicas = cluster.isTrial ? Math.min(REPLICAS, cluster.address.servers.length) : REPLICAS
  makeDataDir(dataDir)
  placeSealingKey(dataDir, cluster.sealingKey)
  const connection = await connectToCluster(cluster.address)
  try {
    if (checked !== null) mustBeChecked(checked, connection.info?.server_id)
    await whenAnswered(() => refuseWrongName(dataDir, name, () => ClusterKeys.all(connection)))
    const keys = await ClusterKeys.open(connection, name, replicas)
    const lock = await lockDataDir(dataDir)
    const bucket = `${name}_snapshots`
    const open = (of: number | 'catalog'): Promise<JetStreamLog> =>
      JetStreamLog.open(connection, { name, of, replicas })
    const openAll = async (id: string) => {
      const catalog = await open('catalog')
      const logs = await Promise.all(Array.from({ length: shards }, (_, shard) => open(shard)))
      return { catalog, shards: logs, parts: partsOf(keys, id, logs, catalog) }
    }
    const bring = async (importing: NodeFile): Promise<void> => {
      const worker = new SnapshotThreads({ address: cluster.address, bucket, replicas }, () => {})
      const { parts } = await openAll(importing.cluster)
      const { told } = cluster
      await importData({ dataDir, node: importing.node, parts, worker, told }).finally(() => worker.close())
    }
    const process = randomBytes(8).toString('hex')
    // Until the connection is closed.
    answerPings(connection, name, process)
    const join = async () => {
      await joinProtocol(keys)
      const node = await joinDirectory(keys, dataDir, { shards, name }, bring)
      const own = { node: node.node, process, url: cluster.url }
      return {
        node,
        process,
        revision: await claimNode({ keys, presence: presenceOf(connection, name, cluster.url) }, own),
      }
    }
    const { node, ...claimed } = await whenAnswered(join).finally(() => lock.release())
    const opened = await openAll(node.cluster)
    const snapshots = { bucket, objects: await ObjectBucket.over(connection, { bucket, replicas }) }
    const close = (): Promise<void> => connection.close()
    return { connection, keys, node, ...claimed, name, replicas, ...opened, snapshots, close }
  } catch (error) {
    await connection.close()
    throw error
  }
}

function partsOf(keys: ClusterKeys, id: string, shards: readonly RecordLog[], catalog: RecordLog): SnapshotPart[] {
  const partOf = (name: string, log: RecordLog, ...more: string[]): SnapshotPart => {
    return { name, environments: [name, ...more], log, list: new SnapshotList(keys, id, name) }
  }
  return [...shards.map((log, shard) => partOf(`shard-${shard}`, log)), partOf('catalog', catalog, LEDGER)]
}

/** New streams have no leader for a moment. */
async function whenAnswered<T>(work: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + START_MS; ; ) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LogUnavailable) || performance.now() > end) throw error
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
