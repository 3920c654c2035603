/** The snapshots of a node, over the streams and the objects of its cluster. */
import { SnapshotThreads } from '../../../runtime/log/snapshots/snapshot-threads.js'
import type { ClusterLogs, ClusterOptions } from '../cluster-logs.js'
import { SNAPSHOT_DEFAULTS } from './snapshot-part.js'
import { Snapshots, type SnapshotsDeps } from './snapshots.js'

interface NodeSnapshotsDeps extends Pick<SnapshotsDeps, 'dataDir' | 'roleOf' | 'told' | 'failed'> {
  readonly cluster: Pick<ClusterOptions, 'address' | 'snapshots'>
}

export function openSnapshots(logs: ClusterLogs, deps: NodeSnapshotsDeps): Snapshots {
  const { keys, node, parts, replicas, snapshots } = logs
  const { dataDir, cluster, roleOf, told, failed } = deps
  const bucket = { address: cluster.address, bucket: snapshots.bucket, replicas }
  return new Snapshots({
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
}
