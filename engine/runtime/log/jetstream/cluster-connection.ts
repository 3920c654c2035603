/**
 * The connection of a process to a cluster of NATS servers.
 *
 * Owns: credentials, TLS, and that the connection comes back by itself. Leaves out: streams (jetstream-log.ts), whether
 * the servers are fit for a log (cluster-check.ts).
 *
 * 1. The client looks for another server as soon as its own is lost, and never gives up. The first connection is made,
 *    or its failure is a sentence.
 * 2. An address that begins with `tls:` is reached by TLS, or not at all. The client itself does not look at that.
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

/** The servers cannot be reached. The message is for people. */
export class Unreachable extends Error {}

/** Connects to any of the servers. Rejects with Unreachable. */
export async function connectToCluster(address: ClusterAddress): Promise<NatsConnection> {
  const servers = address.servers.join(', ')
  try {
    return await connectTo(address)
  } catch (error) {
    throw new Unreachable(`the NATS servers ${servers} cannot be reached: ${reasonOf(error as Error)}`, {
      cause: error,
    })
  }
}

/** What the client says, in words that name what to look at. */
function reasonOf({ name, message }: Error): string {
  if (name === 'AuthorizationError' || name === 'UserAuthenticationExpiredError')
    return `they refuse the credentials of this node (${message})`
  if (/does not support 'tls'/.test(message)) return 'they do not offer TLS, which the settings of this node ask for'
  if (message === 'timeout') return `what listens there did not answer as a NATS server in ${CONNECT_MS / 1_000} s`
  return message
}

async function connectTo(address: ClusterAddress): Promise<NatsConnection> {
  // Loaded on first use: most processes never need it.
  const { connect } = await import('@nats-io/transport-node')
  const authenticator = await authenticatorOf(address)
  const tls = address.tls ?? (address.servers.some((server) => server.startsWith('tls:')) ? {} : undefined)
  return await connect({
    servers: [...address.servers],
    name: 'decision-service',
    timeout: CONNECT_MS,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: PINGS_MAX,
    ...(tls === undefined ? {} : { tls }),
    ...(authenticator === null ? {} : { authenticator }),
  })
}

async function authenticatorOf({ credentials, nkeySeed }: ClusterAddress): Promise<Authenticator | null> {
  const { credsAuthenticator, nkeyAuthenticator } = await import('@nats-io/transport-node')
  // The client reads them when it connects, and its message does not say what it could not read.
  if (credentials !== undefined) {
    if (!/BEGIN NATS USER JWT/.test(credentials) || !/BEGIN USER NKEY SEED/.test(credentials))
      throw new Error('the credentials file has no JWT with a seed (.creds)')
    return credsAuthenticator(Buffer.from(credentials))
  }
  if (nkeySeed === undefined) return null
  if (!/^SU[A-Z2-7]{56}$/.test(nkeySeed.trim())) throw new Error('the NKey file has no seed of a user (SU...)')
  return nkeyAuthenticator(Buffer.from(nkeySeed.trim()))
}
