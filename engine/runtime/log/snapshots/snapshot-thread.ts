/** The entry of the thread that makes and restores snapshots, with a connection of its own for each task. */
import type { ClusterAddress } from '../jetstream/cluster-connection.js'
import { connectToCluster } from '../jetstream/cluster-connection.js'
import { ObjectBucket } from '../jetstream/object-bucket.js'
import {
  makeSnapshot,
  restoreSnapshot,
  type Made,
  type MakeTask,
  type Restored,
  type RestoreTask,
} from './snapshot-work.js'

/** The objects of snapshots are in this bucket. */
export interface SnapshotBucket {
  readonly address: ClusterAddress
  readonly bucket: string
  readonly replicas: number
}

export type SnapshotTask = (MakeTask | RestoreTask) & { readonly in: SnapshotBucket }

export default async function work(task: SnapshotTask): Promise<Made | Restored> {
  const { address, bucket, replicas } = task.in
  const connection = await connectToCluster(address)
  try {
    const objects = await ObjectBucket.over(connection, { bucket, replicas })
    return await (task.kind === 'make' ? makeSnapshot(task, objects) : restoreSnapshot(task, objects))
  } finally {
    await connection.close()
  }
}
