/** Parameters that message brokers share, and the TLS settings made of them. */
import { isIP } from 'node:net'
import type { ParameterSpec } from '../../resource/registry/parameters.js'
import type { OpenedParameters } from '../contract.js'
import { textAt, tlsParameters } from '../http/http-kind.js'
import { misfitServers } from './addresses.js'

export function serversParameter(description: string): ParameterSpec {
  return { name: 'servers', type: 'string', required: true, address: true, description, check: misfitServers }
}

/** TLS parameters, with a client certificate. */
export const brokerTlsParameters: readonly ParameterSpec[] = [
  ...tlsParameters,
  {
    name: 'client_certificate',
    type: 'string',
    required: false,
    description: 'PEM of the client certificate of the service, with its intermediate certificates.',
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

/** The header with the id of an event, which must be the same each time the message is read. */
export const idHeaderParameter: ParameterSpec = {
  name: 'id_header',
  type: 'string',
  required: false,
  description:
    'The header with the id of the event. Without it, or if it is empty, the id is made of the position of the message.',
}

export interface TlsSettings {
  readonly rejectUnauthorized: boolean
  readonly host: string
  readonly servername?: string
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

/** The settings of a TLS connection to a host. The certificate must be that of the host. */
export function tlsSettings(connection: OpenedParameters, host: string): TlsSettings {
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
