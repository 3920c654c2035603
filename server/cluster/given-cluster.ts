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

/** How the NATS servers are reached. @throws Error with a sentence where a file cannot be read. */
export function addressOf(given: GivenCluster): ClusterOptions['address'] {
  const { clusterCa: ca, clusterCert: cert, clusterKey: key } = given
  const tls = {
    ...fileAs('ca', ca, 'SERVICE_CLUSTER_CA_FILE'),
    ...fileAs('cert', cert, 'SERVICE_CLUSTER_CERT_FILE'),
    ...fileAs('key', key, 'SERVICE_CLUSTER_KEY_FILE'),
  }
  return {
    servers: given.cluster,
    credentials: textOf(given.clusterCredentials, 'SERVICE_CLUSTER_CREDENTIALS_FILE'),
    nkeySeed: textOf(given.clusterNkey, 'SERVICE_CLUSTER_NKEY_FILE'),
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

/** @throws Error with a sentence that names the setting. */
function textOf(file: string | undefined, setting: string): string | undefined {
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Error(`the file ${file} of ${setting} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function fileAs(name: string, file: string | undefined, setting: string): Record<string, string> {
  const text = textOf(file, setting)
  if (text === undefined) return {}
  // What is no PEM would be ignored, and any server of the system's authorities would be accepted.
  if (!text.includes('-----BEGIN ')) throw new Error(`the file ${file} of ${setting} is not PEM`)
  return { [name]: text }
}
