/**
 * The connection to a Kafka cluster: credentials, TLS, sockets, and failures as sentences.
 *
 * Owns: the settings of every client of the library. Leaves out: reading (kafka-cluster.ts, kafka-input.ts), writing
 * (kafka-output.ts).
 *
 * 1. Every socket is created here, to an address that the policy has accepted: of a configured server, or of a broker
 *    that such a server names.
 * 2. With `tls` the certificate must be that of the host of the connection.
 */
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ISocketFactoryArgs, KafkaConfig, SASLOptions } from 'kafkajs'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import { parseServers, type ServerAddress } from '../broker/addresses.js'
import { brokerTlsParameters, serversParameter, tlsSettings } from '../broker/broker-parameters.js'
import { stoppable } from '../broker/stoppable.js'
import type { Lasting, OpenedParameters, Tools } from '../contract.js'
import { HostRefused } from '../http/host-policy.js'
import { textAt, timeoutMs } from '../http/http-kind.js'

const STANDARD_PORT = 9092
/**
 * The library cannot parse IPv6 addresses, so configured servers get names of `#` and a number; no host has such a
 * name.
 */
const SEED = '#'
const KEEP_ALIVE_MS = 30_000
/** The error name of the library for a request without an answer in time, after all its repetitions. */
const UNANSWERED = 'KafkaJSRequestTimeoutError'
/** Errors of the library that have a name in place of a type. */
const typeOfName: Readonly<Record<string, string>> = {
  [UNANSWERED]: UNANSWERED,
  KafkaJSSASLAuthenticationError: 'SASL_AUTHENTICATION_FAILED',
}

export const kafkaConnection: readonly ParameterSpec[] = [
  serversParameter('Servers to connect to first, as host:port, separated by commas.'),
  {
    name: 'protocol',
    type: 'string',
    required: false,
    allowed: ['tls', 'plain'],
    default: 'tls',
    description: 'TLS, or no encryption.',
  },
  {
    name: 'sasl_mechanism',
    type: 'string',
    required: false,
    allowed: ['none', 'plain', 'scram-sha-256', 'scram-sha-512'],
    default: 'none',
    description: 'How the service authenticates.',
  },
  { name: 'user', type: 'string', required: false, description: 'The SASL user.' },
  { name: 'password', type: 'string', required: false, secret: true, description: 'The password of user.' },
  ...brokerTlsParameters,
]

export const misfitTopic = (text: string): string | null =>
  /^[A-Za-z0-9._-]{1,249}$/.test(text.trim()) ? null : 'must be the name of a topic'

/** The cluster was unreachable or refused the request. The message is for people. */
export class KafkaFailure extends Error {
  /** The error name of the protocol, or ''. */
  readonly type: string

  constructor(message: string, type = '') {
    super(message)
    this.type = type
  }
}

/** The failure as a sentence, taken from the innermost cause. */
export function kafkaFailure(error: unknown): KafkaFailure | HostRefused {
  let inner = error as Error & { type?: string; cause?: unknown; errors?: unknown[] }
  for (let deep = 0; deep < 10; deep++) {
    const next = inner.cause ?? inner.errors?.[0]
    if (!(next instanceof Error)) break
    inner = next as typeof inner
  }
  if (inner instanceof KafkaFailure || inner instanceof HostRefused) return inner
  return new KafkaFailure(inner.message || 'the connection failed', inner.type ?? typeOfName[inner.name] ?? '')
}

/** Errors that last until credentials, rights or topics are changed. A starting broker has no topics for a moment. */
const forGood = new Set(['SASL_AUTHENTICATION_FAILED', 'UNSUPPORTED_SASL_MECHANISM', 'ILLEGAL_SASL_STATE'])
const asSetUp = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'INVALID_TOPIC_EXCEPTION',
  'POLICY_VIOLATION',
])

/** How long a failure lasts; undefined: it may pass. */
export function kafkaLasting(failure: KafkaFailure | HostRefused): Lasting | undefined {
  if (failure instanceof HostRefused) return 'set_up'
  if (forGood.has(failure.type)) return 'for_good'
  return asSetUp.has(failure.type) ? 'set_up' : undefined
}

/**
 * The result of `promise`. Rejects if `signal` aborts or after `ms`; the library may time out first, with the same
 * error.
 */
export async function kafkaStoppable<T>(promise: Promise<T>, signal: AbortSignal, ms: number): Promise<T> {
  const limit = AbortSignal.timeout(ms)
  const late = new KafkaFailure(`no answer within ${ms} ms`)
  try {
    return await stoppable(promise, AbortSignal.any([signal, limit]), () =>
      signal.aborted ? new KafkaFailure('stopped') : late,
    )
  } catch (error) {
    const failure = kafkaFailure(error) as Error & { type?: string }
    throw failure.type === UNANSWERED ? late : error
  }
}

export interface KafkaSettings extends KafkaConfig {
  readonly brokers: string[]
  readonly connectionTimeout: number
  readonly authenticationTimeout: number
  readonly reauthenticationThreshold: number
  readonly requestTimeout: number
  readonly enforceRequestTimeout: boolean
}

export function kafkaSettings(connection: OpenedParameters, { policy }: Tools): KafkaSettings {
  const isTls = textAt(connection, 'protocol') !== 'plain'
  const timeout = timeoutMs(connection)
  const sasl = saslOf(connection)
  const servers = parseServers(String(connection.servers), STANDARD_PORT)
  const makeSocket = ({ host: name, port: number, onConnect }: ISocketFactoryArgs): Socket => {
    const { host, port } = name.startsWith(SEED)
      ? (servers[Number(name.slice(SEED.length))] as ServerAddress)
      : { host: name, port: number }
    policy.check(host)
    const address = { host, port, lookup: policy.lookup }
    const socket = isTls
      ? connectTls({ ...address, ...tlsSettings(connection, host) }, onConnect)
      : connectPlain(address, onConnect)
    return socket.setKeepAlive(true, KEEP_ALIVE_MS).setNoDelay(true)
  }
  return {
    clientId: 'decision-service',
    brokers: servers.map((_, at) => `${SEED}${at}:1`),
    socketFactory: makeSocket,
    ssl: isTls,
    ...(sasl === null ? {} : { sasl }),
    logCreator: () => () => {},
    // Half of the time limit, so that one repetition by the library fits in. It is stored only once.
    connectionTimeout: timeout,
    authenticationTimeout: timeout,
    requestTimeout: Math.ceil(timeout / 2),
    enforceRequestTimeout: true,
    reauthenticationThreshold: 10_000,
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 },
  }
}

function saslOf(connection: OpenedParameters): SASLOptions | null {
  const [username, password] = [textAt(connection, 'user') ?? '', textAt(connection, 'password') ?? '']
  switch (textAt(connection, 'sasl_mechanism')) {
    case 'plain':
      return { mechanism: 'plain', username, password }
    case 'scram-sha-256':
      return { mechanism: 'scram-sha-256', username, password }
    case 'scram-sha-512':
      return { mechanism: 'scram-sha-512', username, password }
    default:
      return null
  }
}
