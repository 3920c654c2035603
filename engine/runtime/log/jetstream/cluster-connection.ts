/**
 * The connection of a process to a cluster of NATS servers.
 *
 * Owns: credentials, TLS, and that the connection comes back by itself. Leaves out: streams (jetstream-log.ts), whether
 * the servers are fit for a log (cluster-check.ts).
 *
 * 1. The client looks for another server as soon as its own is lost, and never gives up.
 */
import type { Authenticator, NatsConnection } from '@nats-io/transport-node'

export type { NatsConnection }

/** How to reach the servers. */
export interface ClusterAddress {
  /** `host:port` or `nats://host:port` of each server. */
  readonly servers: readonly string[]
  /** The text of a credentials file (.creds), or the seed of an NKey. */
  readonly credentials?: string | undefined
  readonly nkeySeed?: string | undefined
  /** PEM. Where there is any of these, a server without TLS is refused. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string } | undefined
}

/** Milliseconds until a silent server counts as lost: two pings without an answer. */
const PING_MS = 2_000
const PINGS_MAX = 2
const RECONNECT_MS = 100
const CONNECT_MS = 5_000

/** Connects to any of the servers. Rejects where none answers. */
export async function connectToCluster(address: ClusterAddress): Promise<NatsConnection> {
  // Loaded on first use: most processes never need it.
  const { connect } = await import('@nats-io/transport-node')
  const authenticator = await authenticatorOf(address)
  return await connect({
    servers: [...address.servers],
    name: 'decision-service',
    timeout: CONNECT_MS,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: PINGS_MAX,
    ...(address.tls === undefined ? {} : { tls: address.tls }),
    ...(authenticator === null ? {} : { authenticator }),
  })
}

async function authenticatorOf({ credentials, nkeySeed }: ClusterAddress): Promise<Authenticator | null> {
  const { credsAuthenticator, nkeyAuthenticator } = await import('@nats-io/transport-node')
  if (credentials !== undefined) return credsAuthenticator(Buffer.from(credentials))
  return nkeySeed === undefined ? null : nkeyAuthenticator(Buffer.from(nkeySeed.trim()))
}
