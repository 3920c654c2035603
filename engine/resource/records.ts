/**
 * The records of resources in the catalog environment, and their bytes.
 *
 * | table        | key                       | value                                         |
 * |--------------|---------------------------|-----------------------------------------------|
 * | meta         | `counters`                | ResourceCounters                               |
 * | meta         | `session:`, a hash        | see services/sessions/                        |
 * | jobs         | id (u32, big-endian)      | JobSettings                                   |
 * | integrations | id (u32, big-endian)      | IntegrationRecord                             |
 * | api_keys     | name, UTF-8               | ApiKeyRecord                                  |
 * | users        | name, UTF-8               | UserRecord                                    |
 * | tokens       | id, UTF-8                 | TokenRecord                                   |
 * | uses         | id of a key or token      | UseRecord                                     |
 *
 * 1. Every value starts with a byte for its version; the rest is JSON in UTF-8 (D11).
 * 2. No value holds a secret in the clear: keys and passwords are hashed, secrets of integrations are sealed (S19).
 */
import { Refusal } from '../errors.js'
import type { Role, Scope } from '../api/scopes.js'

export const catalogTables = ['meta', 'jobs', 'integrations', 'api_keys', 'users', 'tokens', 'uses'] as const

export type ResourceTable = (typeof catalogTables)[number]

/** The next ids. They only increase, so no id is used twice. */
export interface ResourceCounters {
  readonly nextJobId: number
  readonly nextIntegrationId: number
}

/** A connection to another system, or a part of the service that a pipeline can use. */
export interface IntegrationRecord {
  readonly id: number
  readonly title: string
  /** Id of its kind (integration-registry.ts). */
  readonly kind: string
  /** Connection parameters of its kind. A reference to a key is stored as the key's name. */
  readonly connection: Readonly<Record<string, unknown>>
  /** ISO 8601 UTC. */
  readonly createdAt: string
}

export interface ApiKeyRecord {
  readonly id: string
  readonly name: string
  readonly kind: 'management' | 'input'
  /** SHA-256 of the value, hexadecimal. */
  readonly hash: string
  readonly createdAt: string
}

/** The scrypt hash of a password, with the settings to compare with it. */
export interface PasswordRecord {
  readonly salt: string
  readonly hash: string
  readonly cost: number
  readonly blockSize: number
  readonly parallelization: number
}

export interface UserRecord {
  readonly name: string
  readonly role: Role
  readonly password: PasswordRecord
  readonly createdAt: string
  readonly enabled: boolean
  /** Who the user is at the provider of single sign-on; absent: the user signs in with a password. */
  readonly identity?: { readonly issuer: string; readonly subject: string }
}

/** A user's token. What it may do follows from the current role of its owner. */
export interface TokenRecord {
  readonly id: string
  /** The owner's name. */
  readonly user: string
  /** SHA-256 of the value, hexadecimal. */
  readonly hash: string
  readonly createdAt: string
  readonly expiresMicros: number
  /** Limits the token to these; absent: all scopes of its owner. */
  readonly scopes?: readonly Scope[]
}

/** When a key or token was last used, up to a minute behind. */
export interface UseRecord {
  readonly at: string
}

const VERSION = 1

/** The bytes of a record. */
export function encodeRecord(record: unknown): Uint8Array {
  const text = JSON.stringify(record)
  const bytes = Buffer.alloc(1 + Buffer.byteLength(text))
  bytes[0] = VERSION
  bytes.write(text, 1)
  return bytes
}

/**
 * Decodes a record. @throws Refusal data_dir_newer for an unknown version, data_dir_invalid for broken bytes.
 */
export function decodeRecord<T>(table: ResourceTable, bytes: Uint8Array): T {
  const version = bytes[0] ?? 0
  if (version > VERSION) {
    throw new Refusal('data_dir_newer', `a record of ${table} has version ${version}; this program knows ${VERSION}`)
  }
  try {
    if (version !== VERSION) throw new Error(`version ${version}`)
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + 1, bytes.byteLength - 1).toString('utf8')) as T
  } catch {
    throw new Refusal('data_dir_invalid', `a record of ${table} cannot be read`)
  }
}

/** The key of a job or an integration. */
export function idKey(id: number): Uint8Array {
  const key = Buffer.alloc(4)
  key.writeUInt32BE(id, 0)
  return key
}

/** The key of an api key, a user, a token, a use or a value of meta. */
export function nameKey(name: string): Uint8Array {
  return Buffer.from(name, 'utf8')
}
