/**
 * The connection to a NATS server, kept open between requests.
 *
 * Owns: connecting, credentials, TLS, detecting a lost server, failures as sentences. Leaves out: streams
 * (nats-input.ts, nats-output.ts), retries (delivery.ts, intake.ts).
 *
 * 1. The client library gets an address that the policy has accepted, never a name. It does not reconnect on its own,
 *    and does not follow the other servers of a cluster.
 * 2. With `tls`, a server without TLS is refused, and the certificate must be that of the configured host.
 */
import type { Authenticator, NatsConnection } from '@nats-io/transport-node'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import { bracketed, parseServers, type ServerAddress } from '../broker/addresses.js'
import { brokerTlsParameters, serversParameter, tlsSettings } from '../broker/broker-parameters.js'
import { stoppable } from '../broker/stoppable.js'
import type { Lasting, OpenedParameters, Tools } from '../contract.js'
import { HostRefused, type HostPolicy } from '../http/host-policy.js'
import { textAt, timeoutMs } from '../http/http-kind.js'

const STANDARD_PORT = 4222
/** Interval of pings to a silent server, and unanswered pings after which it counts as lost. */
const PING_MS = 15_000
const PINGS_MAX = 2

export const natsConnection: readonly ParameterSpec[] = [
  serversParameter('Servers as host:port, separated by commas. The first one that answers is used.'),
  {
    name: 'protocol',
    type: 'string',
    required: false,
    allowed: ['tls', 'tls_first', 'plain'],
    default: 'tls',
    description: 'TLS as usual in NATS, TLS before any other data (handshake_first), or no encryption.',
  },
  { name: 'user', type: 'string', required: false, description: 'A user, with password.' },
  { name: 'password', type: 'string', required: false, secret: true, description: 'The password of user.' },
  { name: 'token', type: 'string', required: false, secret: true, description: 'A token, instead of a user.' },
  {
    name: 'nkey_seed',
    type: 'string',
    required: false,
    secret: true,
    signs: true,
    description: 'The seed of an NKey, instead of a user.',
    check: (text) => (text === '' || /^S[A-Z2-7]{57}$/.test(text.trim()) ? null : 'must be the seed of an NKey'),
  },
  {
    name: 'credentials',
    type: 'string',
    required: false,
    secret: true,
    description: 'The text of a credentials file (.creds), instead of a user.',
    check: (text) =>
      text === '' || text.includes('BEGIN NATS USER JWT') ? null : 'must be the text of a credentials file',
  },
  ...brokerTlsParameters,
]

/** The server was unreachable or refused the request. The message is for people. */
export class NatsFailure extends Error {}

/** The failure as a sentence; HostRefused is returned as it is. */
export function natsFailure(error: unknown): NatsFailure | HostRefused {
  if (error instanceof NatsFailure || error instanceof HostRefused) return error
  const { message, code, cause } = error as NodeJS.ErrnoException & { cause?: unknown }
  const deeper = cause instanceof Error && cause.message !== message ? `: ${cause.message}` : ''
  const text = `${message || 'the connection failed'}${deeper}`
  return new NatsFailure(typeof code === 'string' && !text.includes(code) ? `${code}: ${text}` : text)
}

/** How long a failure lasts; undefined: it may pass. */
export function natsLasting(error: unknown): Lasting | undefined {
  if (error instanceof HostRefused) return 'set_up'
  const { name = '', message = '' } = error instanceof Error ? error : {}
  if (/^(AuthorizationError|UserAuthenticationExpiredError)$/.test(name)) return 'for_good'
  if (/authorization violation|authentication (expired|revoked)/i.test(message)) return 'for_good'
  if (/^(PermissionViolationError|StreamNotFoundError|ConsumerNotFoundError|JetStreamNotEnabled)$/.test(name))
    return 'set_up'
  return /stream not found|consumer not found|permissions violation/i.test(message) ? 'set_up' : undefined
}

export class NatsLine {
  readonly #connection: OpenedParameters
  readonly #policy: HostPolicy
  readonly #servers: readonly ServerAddress[]
  readonly timeoutMs: number
  #open: NatsConnection | null = null
  #opening: Promise<NatsConnection> | null = null

  constructor(connection: OpenedParameters, tools: Tools) {
    this.#connection = connection
    this.#policy = tools.policy
    this.#servers = parseServers(String(connection.servers), STANDARD_PORT)
    this.timeoutMs = timeoutMs(connection)
  }

  /** The open connection. Rejects with NatsFailure or HostRefused; `signal` ends the wait for it. */
  async connection(signal: AbortSignal): Promise<NatsConnection> {
    if (this.#open !== null && !this.#open.isClosed()) return this.#open
    this.#opening ??= this.#connect().finally(() => (this.#opening = null))
    return await natsStoppable(this.#opening, signal)
  }

  /** Flushes for up to a second, then closes the connection. */
  async close(): Promise<void> {
    const open = (await this.#opening?.catch(() => null)) ?? this.#open
    this.#open = null
    if (open === null || open.isClosed()) return
    const limit = new Promise((resolve) => setTimeout(resolve, 1_000).unref())
    await Promise.race([open.flush().catch(() => {}), limit])
    await open.close().catch(() => {})
  }

  async #connect(): Promise<NatsConnection> {
    let failure: Error = new NatsFailure('no server is configured')
    for (const server of this.#servers) {
      try {
        for (const address of await this.#policy.addressesOf(server.host)) {
          try {
            return (this.#open = await this.#connectTo(server, address))
          } catch (error) {
            failure = natsFailure(error)
          }
        }
      } catch (error) {
        failure = natsFailure(error)
      }
    }
    throw failure
  }

  async #connectTo({ host, port }: ServerAddress, address: string): Promise<NatsConnection> {
    // Loaded on first use, because most processes never need it.
    const { connect } = await import('@nats-io/transport-node')
    const protocol = textAt(this.#connection, 'protocol') ?? 'tls'
    const tls =
      protocol === 'plain' ? null : { ...tlsSettings(this.#connection, host), handshakeFirst: protocol === 'tls_first' }
    const authenticator = await this.#authenticator()
    return await connect({
      servers: [`${bracketed(address)}:${port}`],
      name: 'decision-service',
      tls,
      timeout: this.timeoutMs,
      resolve: false,
      reconnect: false,
      ignoreClusterUpdates: true,
      waitOnFirstConnect: false,
      pingInterval: PING_MS,
      maxPingOut: PINGS_MAX,
      ...(authenticator === null ? {} : { authenticator }),
    })
  }

  async #authenticator(): Promise<Authenticator | null> {
    const { credsAuthenticator, nkeyAuthenticator, tokenAuthenticator, usernamePasswordAuthenticator } = await import(
      '@nats-io/transport-node'
    )
    const [credentials, seed] = [textAt(this.#connection, 'credentials'), textAt(this.#connection, 'nkey_seed')]
    const [token, user] = [textAt(this.#connection, 'token'), textAt(this.#connection, 'user')]
    if (credentials !== undefined) return credsAuthenticator(Buffer.from(credentials))
    if (seed !== undefined) return nkeyAuthenticator(Buffer.from(seed.trim()))
    if (token !== undefined) return tokenAuthenticator(token)
    return user === undefined ? null : usernamePasswordAuthenticator(user, textAt(this.#connection, 'password') ?? '')
  }
}

/** The result of `promise`; rejects with NatsFailure if `signal` aborts first. */
export function natsStoppable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return stoppable(promise, signal, () => new NatsFailure('stopped'))
}
