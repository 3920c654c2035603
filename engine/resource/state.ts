/**
 * All resources in memory, and sets of changes.
 *
 * Owns: the maps, read once from the store, and writing changes to the batch and the maps. Leaves out: what may change
 * (plan.ts, deletion.ts, bootstrap.ts), commits (resource-store.ts).
 *
 * 1. The maps change only in `absorb`, and only with committed changes.
 * 2. Titles are unique for each type: the maps by title hold the same records as the maps by id.
 */
import type { JobSettings } from '../domain/job/job.js'
import { type Environment, WriteBatch } from '../store/environment.js'
import type { IntegrationRegistry } from './registry/integration-registry.js'
import { decodeRecord, encodeRecord, idKey, nameKey } from './records.js'
import type {
  ApiKeyRecord,
  ResourceCounters,
  ResourceTable,
  IntegrationRecord,
  TokenRecord,
  UserRecord,
} from './records.js'

/** Records to write, by key; null deletes. All of them are written, or none. */
export class Changes {
  readonly jobs = new Map<number, JobSettings | null>()
  readonly integrations = new Map<number, IntegrationRecord | null>()
  readonly apiKeys = new Map<string, ApiKeyRecord | null>()
  readonly users = new Map<string, UserRecord | null>()
  readonly tokens = new Map<string, TokenRecord | null>()
  counters: ResourceCounters | null = null

  get isEmpty(): boolean {
    const records = this.jobs.size + this.integrations.size + this.apiKeys.size + this.users.size + this.tokens.size
    return records === 0 && this.counters === null
  }

  toBatch(): WriteBatch {
    const batch = new WriteBatch()
    const write = (table: ResourceTable, key: Uint8Array, record: unknown): void => {
      if (record === null) batch.delete(table, key)
      else batch.put(table, key, encodeRecord(record))
    }
    for (const [id, job] of this.jobs) write('jobs', idKey(id), job)
    for (const [id, integration] of this.integrations) write('integrations', idKey(id), integration)
    for (const [name, key] of this.apiKeys) write('api_keys', nameKey(name), key)
    for (const [name, user] of this.users) write('users', nameKey(name), user)
    for (const [id, token] of this.tokens) write('tokens', nameKey(id), token)
    if (this.counters !== null) write('meta', nameKey('counters'), this.counters)
    return batch
  }
}

/** Applies changes to a map. */
function update<K, V>(map: Map<K, V>, changes: ReadonlyMap<K, V | null>): void {
  for (const [key, value] of changes) {
    if (value === null) map.delete(key)
    else map.set(key, value)
  }
}

/** Applies one change to two maps of the same records. */
function replace<T extends { readonly title: string }>(
  byId: Map<number, T>,
  byTitle: Map<string, T>,
  id: number,
  record: T | null,
): void {
  const before = byId.get(id)
  if (before !== undefined) byTitle.delete(before.title)
  if (record === null) {
    byId.delete(id)
    return
  }
  byId.set(id, record)
  byTitle.set(record.title, record)
}

export class ResourceState {
  readonly kinds: IntegrationRegistry
  readonly jobs = new Map<number, JobSettings>()
  readonly jobsByTitle = new Map<string, JobSettings>()
  readonly integrations = new Map<number, IntegrationRecord>()
  readonly integrationsByTitle = new Map<string, IntegrationRecord>()
  readonly apiKeys = new Map<string, ApiKeyRecord>()
  readonly users = new Map<string, UserRecord>()
  /** By id. Expired tokens are included until their owner gets another one. */
  readonly tokens = new Map<string, TokenRecord>()
  counters: ResourceCounters = { nextJobId: 1, nextIntegrationId: 1 }

  constructor(kinds: IntegrationRegistry) {
    this.kinds = kinds
  }

  /** Reads all records. @throws Refusal data_dir_newer, data_dir_invalid. */
  static load(environment: Environment, kinds: IntegrationRegistry): ResourceState {
    const state = new ResourceState(kinds)
    const changes = new Changes()
    const read = <T>(table: ResourceTable, take: (record: T) => void): void => {
      for (const { value } of environment.range(table, {})) take(decodeRecord<T>(table, value))
    }
    read<JobSettings>('jobs', (job) => changes.jobs.set(job.id, job))
    read<IntegrationRecord>('integrations', (record) => changes.integrations.set(record.id, record))
    read<ApiKeyRecord>('api_keys', (record) => changes.apiKeys.set(record.name, record))
    read<UserRecord>('users', (record) => changes.users.set(record.name, record))
    read<TokenRecord>('tokens', (record) => changes.tokens.set(record.id, record))
    const counters = environment.get('meta', nameKey('counters'))
    if (counters !== undefined) changes.counters = decodeRecord<ResourceCounters>('meta', counters)
    state.absorb(changes)
    return state
  }

  absorb(changes: Changes): void {
    for (const [id, job] of changes.jobs) replace(this.jobs, this.jobsByTitle, id, job)
    for (const [id, record] of changes.integrations) {
      replace(this.integrations, this.integrationsByTitle, id, record)
    }
    update(this.apiKeys, changes.apiKeys)
    update(this.users, changes.users)
    update(this.tokens, changes.tokens)
    if (changes.counters !== null) this.counters = changes.counters
  }
}
