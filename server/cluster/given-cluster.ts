/** The settings of a cluster, as the engine takes them: files are read, and addresses are completed. */
import { readFileSync } from 'node:fs'
import type { ClusterOptions } from '../../engine/index.js'

/** The settings of a cluster (cluster-settings.ts), as they were given. */
export interface GivenCluster {
  readonly cluster: readonly string[]
  readonly clusterMonitors?: readonly string[] | undefined
  readonly clusterUrl?: readonly string[] | undefined
  readonly clusterSealingKey?: string | undefined
  readonly clusterCredentials?: string | undefined
  readonly clusterNkey?: string | undefined
  readonly clusterCa?: string | undefined
  readonly clusterCert?: string | undefined
  readonly clusterKey?: string | undefined
  readonly clusterSnapshotRecords: number
  readonly clusterSnapshotMb: number
  readonly clusterRestore: boolean
  readonly clusterTrial: boolean
}

const MONITOR_PORT = 8_222

/** How the NATS servers are reached. */
export function addressOf(given: GivenCluster): ClusterOptions['address'] {
  const { clusterCa: ca, clusterCert: cert, clusterKey: key } = given
  const tls = { ...fileAs('ca', ca), ...fileAs('cert', cert), ...fileAs('key', key) }
  return {
    servers: given.cluster,
    credentials: textOf(given.clusterCredentials),
    nkeySeed: textOf(given.clusterNkey),
    tls: Object.keys(tls).length === 0 ? undefined : tls,
  }
}

/** `ownUrl`: where this node listens. */
export function clusterOptionsOf(given: GivenCluster, ownUrl: string): ClusterOptions {
  const hosts = given.cluster.map((entry) => new URL(entry.includes('://') ? entry : `nats://${entry}`).hostname)
  return {
    address: addressOf(given),
    monitors: given.clusterMonitors ?? hosts.map((name) => `http://${name}:${MONITOR_PORT}`),
    url: given.clusterUrl?.[0] ?? ownUrl,
    sealingKey: given.clusterSealingKey,
    snapshots: { records: given.clusterSnapshotRecords, bytes: given.clusterSnapshotMb * 1024 ** 2 },
    mayRestore: given.clusterRestore,
    isTrial: given.clusterTrial,
  }
}

function textOf(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readFileSync(file, 'utf8')
}

function fileAs(name: string, file: string | undefined): Record<string, string> {
  return file === undefined ? {} : { [name]: readFileSync(file, 'utf8') }
}
