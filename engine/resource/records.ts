/**
 * The records of the catalog: what is kept of jobs, integrations, keys and users, and as which bytes.
 *
 * | table        | key                       | value                                         |
 * |--------------|---------------------------|-----------------------------------------------|
 * | meta         | `counters`                | ResourceCounters                               |
 * | jobs         | id (u32, big-endian)      | JobSettings                                   |
 * | integrations | id (u32, big-endian)      | IntegrationRecord                             |
 * | api_keys     | name, UTF-8               | ApiKeyRecord                                  |
 * | users        | name, UTF-8               | UserRecord                                    |
 * | tokens       | id, UTF-8                 | TokenRecord                                   |
 * | uses         | id of a key or token      | UseRecord, written now and then               |
 *
 * 1. Every value starts with a byte that says its version; the rest is JSON in UTF-8 (D11).
 * 2. No value holds a secret: keys and passwords are there as hashes only (S19).
 */
import { Refusal } from '../errors.js'
import type { Role, Scope } from '../api/scopes.js'

export const catalogTables = ['meta', 'jobs', 'integrations', 'api_keys', 'users', 'tokens', 'uses'] as const

export type ResourceTable = (typeof catalogTables)[number]

/** The next ids; they only go up, so that no id is used twice. */
export interface ResourceCounters {
  readonly nextJobId: number
  readonly nextIntegrationId: number
}

/** A connection to the outside, or a part of the service that a pipeline can name. */
export interface IntegrationRecord {
  readonly id: number
  readonly title: string
  /** Id of its kind (integration-registry.ts). */
  readonly kind: string
  /** Connection parameters that the kind names. A reference to a key is the key's name. */
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

/** A password's scrypt hash and all that is needed to compare with it. */
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
}

/** A user's token. What it may do follows from its owner's role at the time of asking. */
export interface TokenRecord {
  readonly id: string
  /** The owner's name. */
  readonly user: string
  /** SHA-256 of the value, hexadecimal. */
  readonly hash: string
  readonly createdAt: string
  readonly expiresMicros: number
  /** It may do no more than this; absent: all that its owner may. */
  readonly scopes?: readonly Scope[]
}

/** When a key or a token was used last; behind by a minute at most. */
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
 * The record of these bytes.
 * @throws Refusal data_dir_newer for a version this program does not know, data_dir_invalid for broken bytes.
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

/** Key of a job or an integration. */
export function idKey(id: number): Uint8Array {
  const key = Buffer.alloc(4)
  key.writeUInt32BE(id, 0)
  return key
}

/** Key of an api key, a user, a token, a use or a value of meta. */
export function nameKey(name: string): Uint8Array {
  return Buffer.from(name, 'utf8')
}
