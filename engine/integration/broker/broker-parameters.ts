/** Parameters that message brokers have in common, and what is made of them. */
import { isIP } from 'node:net'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { Opened } from '../contract.js'
import { textAt, tlsParameters } from '../http/http-kind.js'
import { misfitServers } from './addresses.js'

export function serversParameter(description: string): ParameterSpec {
  return { name: 'servers', type: 'string', required: true, address: true, description, check: misfitServers }
}

/** TLS with what a broker may want to see of us. */
export const brokerTlsParameters: readonly ParameterSpec[] = [
  ...tlsParameters,
  {
    name: 'client_certificate',
    type: 'string',
    required: false,
    description: 'PEM of the certificate that the service shows, with those above it.',
    check: (text) =>
      text === '' || text.includes('-----BEGIN CERTIFICATE-----') ? null : 'must be certificates in PEM form',
  },
  {
    name: 'client_key',
    type: 'string',
    required: false,
    secret: true,
    signs: true,
    description: 'PEM of the key of client_certificate.',
  },
]

/** Which id an event has: the same whenever its message is read. */
export const idHeaderParameter: ParameterSpec = {
  name: 'id_header',
  type: 'string',
  required: false,
  description:
    'The header whose value is the id of the event. Without it, or where it is empty, the id says where the message stands.',
}

export interface TlsSettings {
  readonly rejectUnauthorized: boolean
  readonly host: string
  readonly servername?: string
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** What a TLS connection to a host is opened with; the certificate has to be of that host. */
export function tlsSettings(connection: Opened, host: string): TlsSettings {
  const [ca, cert, key] = [
    textAt(connection, 'ca_certificate'),
    textAt(connection, 'client_certificate'),
    textAt(connection, 'client_key'),
  ]
  return {
    rejectUnauthorized: connection.verify_tls !== false,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  }
}
