/** The settings of a node of a cluster. */
import { z } from 'zod'
import { flag, integer, text, type Setting } from './setting.js'

function listOf(protocols: readonly string[], words: string) {
  return z
    .string()
    .transform((list) =>
      list
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    )
    .refine((entries) => entries.length > 0 && entries.every((entry) => isAddress(entry, protocols)), words)
}

/** True for an address of one of these protocols without a user; the first needs no name. */
function isAddress(entry: string, protocols: readonly string[]): boolean {
  const whole = entry.includes('://') ? entry : `${protocols[0]}//${entry}`
  if (!URL.canParse(whole)) return false
  const { protocol, hostname, username } = new URL(whole)
  return protocols.includes(protocol) && hostname !== '' && username === ''
}

const httpAddresses = listOf(['http:', 'https:'], 'must be addresses such as http://nats-1:8222, separated by commas')

export const clusterSettings = {
  cluster: {
    name: 'SERVICE_CLUSTER',
    schema: listOf(['nats:', 'tls:'], 'must be addresses of NATS servers, such as nats://a:4222,nats://b:4222'),
    meaning: 'NATS servers of a cluster; without it the service is one process and needs no server',
  },
  clusterMonitors: {
    name: 'SERVICE_CLUSTER_MONITORS',
    schema: httpAddresses,
    meaning: 'Monitoring addresses of these servers, which the start checks; default: port 8222 of each',
  },
  clusterUrl: {
    name: 'SERVICE_CLUSTER_URL',
    schema: httpAddresses.refine((entries) => entries.length === 1, 'must be one address, such as http://node-1:8080'),
    meaning: 'Address where the other nodes reach this one; default: SERVICE_HOST and SERVICE_PORT',
  },
  clusterSealingKey: {
    name: 'SERVICE_CLUSTER_SEALING_KEY',
    schema: z.string().regex(/^[0-9a-f]{64}$/i, 'must have 64 hexadecimal digits'),
    meaning: 'Key that seals secrets of integrations, the same on all nodes; needed for a new data directory of a node',
    secret: true,
  },
  clusterCredentials: {
    name: 'SERVICE_CLUSTER_CREDENTIALS_FILE',
    schema: text,
    meaning: 'Credentials for the NATS servers: a file with a JWT and its seed (.creds)',
  },
  clusterNkey: {
    name: 'SERVICE_CLUSTER_NKEY_FILE',
    schema: text,
    meaning: 'Credentials for the NATS servers: a file with the seed of an NKey',
  },
  clusterCa: {
    name: 'SERVICE_CLUSTER_CA_FILE',
    schema: text,
    meaning: 'Certificate authority of the NATS servers, PEM; with it a server without TLS is refused',
  },
  clusterCert: {
    name: 'SERVICE_CLUSTER_CERT_FILE',
    schema: text,
    meaning: 'Certificate of this node for the NATS servers, PEM',
  },
  clusterKey: { name: 'SERVICE_CLUSTER_KEY_FILE', schema: text, meaning: 'Private key of that certificate, PEM' },
  clusterSnapshotRecords: {
    name: 'SERVICE_CLUSTER_SNAPSHOT_RECORDS',
    schema: integer(100, 100_000_000),
    fallback: '50000',
    meaning: 'Records of a log after which a snapshot is made; the log is then cut behind the snapshot before',
  },
  clusterSnapshotMb: {
    name: 'SERVICE_CLUSTER_SNAPSHOT_MB',
    schema: integer(1, 1_000_000),
    fallback: '128',
    meaning: 'Megabytes of a log after which a snapshot is made, whichever comes first',
  },
  clusterRestore: {
    name: 'SERVICE_CLUSTER_RESTORE',
    schema: flag,
    fallback: 'false',
    meaning: 'true: a copy that differs from those of the other nodes is restored from a snapshot at the start',
  },
  clusterTrial: {
    name: 'SERVICE_CLUSTER_TRIAL',
    schema: flag,
    fallback: 'false',
    meaning: 'true: the NATS servers are not checked and may be fewer than three. A power cut can then lose events',
  },
} as const satisfies Record<string, Setting>

/** What is wrong with settings of a cluster together, or null. */
export function clusterFault(settings: Readonly<Record<string, unknown>>): string | null {
  if (settings.cluster === undefined) {
    const given = Object.entries(clusterSettings).find(([field, setting]) => {
      return !('fallback' in setting) && settings[field] !== undefined
    })
    return given === undefined ? null : `${given[1].name} has no effect without SERVICE_CLUSTER`
  }
  if (settings.clusterCredentials !== undefined && settings.clusterNkey !== undefined)
    return 'SERVICE_CLUSTER_CREDENTIALS_FILE and SERVICE_CLUSTER_NKEY_FILE exclude each other'
  if ((settings.clusterCert === undefined) !== (settings.clusterKey === undefined))
    return 'SERVICE_CLUSTER_CERT_FILE and SERVICE_CLUSTER_KEY_FILE must be set together'
  if (Number(settings.httpThreads ?? 1) > 1)
    return 'SERVICE_HTTP_THREADS must be 1 in a cluster: a node forwards requests on its main thread'
  const isEverywhere = ['0.0.0.0', '::', ''].includes(settings.host as string) || settings.port === 0
  if (settings.clusterUrl === undefined && isEverywhere)
    return 'SERVICE_CLUSTER_URL is needed: other nodes cannot reach this one at SERVICE_HOST and SERVICE_PORT'
  return null
}
