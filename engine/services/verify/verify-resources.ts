/**
 * Whether the records of the catalog can be read, and name only what is there.
 *
 * Owns: what must hold inside of the catalog. Leaves out: the audit log (audit/audit-proof.ts), what shards hold
 * (verify/verify-shard.ts).
 */
import type { JobSettings } from '../../domain/job/job.js'
import type { Entry, Environment } from '../../store/environment.js'
import { lostSecrets } from '../../resource/registry/parameters.js'
import type { Sealer } from '../../resource/access/sealing.js'
import {
  decodeRecord,
  idKey,
  nameKey,
  type ApiKeyRecord,
  type ResourceCounters,
  type ResourceTable,
  type IntegrationRecord,
  type TokenRecord,
  type UserRecord,
  type UseRecord,
} from '../../resource/records.js'

export interface ResourceProblem {
  readonly table: string
  readonly key: string
  readonly what: string
}

export interface ResourceCheck {
  readonly problems: readonly ResourceProblem[]
  /** By id. */
  readonly jobs: ReadonlyMap<number, JobSettings>
}

const HASH = /^[0-9a-f]{64}$/

class Check {
  readonly problems: ResourceProblem[] = []
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  note(table: string, key: Uint8Array, what: string): void {
    this.problems.push({ table, key: Buffer.from(key).toString('hex'), what })
  }

  /** Records by their key's bytes; each must be under the key that it names. */
  read<T>(table: ResourceTable, keyOf: (record: T) => Uint8Array): Map<string, T> {
    const records = new Map<string, T>()
    for (const { key, value } of this.#environment.range(table, {})) {
      const record = this.#decode<T>(table, { key, value })
      if (record === null) continue
      records.set(Buffer.from(key).toString('hex'), record)
      if (Buffer.compare(keyOf(record), key) !== 0) this.note(table, key, 'is under a key that is not its own')
    }
    return records
  }

  counters(): ResourceCounters | null {
    const key = nameKey('counters')
    const value = this.#environment.get('meta', key)
    if (value === undefined) {
      this.note('meta', key, 'is missing')
      return null
    }
    return this.#decode<ResourceCounters>('meta', { key, value })
  }

  #decode<T>(table: ResourceTable, { key, value }: Entry): T | null {
    try {
      const record = decodeRecord<T>(table, value)
      if (typeof record === 'object' && record !== null) return record
    } catch {
      // Said below.
    }
    this.note(table, key, 'cannot be read')
    return null
  }
}

/** Secrets are opened where there is a `sealer`. */
export function verifyResources(environment: Environment, shards: number, sealer: Sealer | null): ResourceCheck {
  const check = new Check(environment)
  const counters = check.counters()
  const jobs = check.read<JobSettings>('jobs', ({ id }) => idKey(id))
  const integrations = check.read<IntegrationRecord>('integrations', ({ id }) => idKey(id))
  const keys = check.read<ApiKeyRecord>('api_keys', ({ name }) => nameKey(name))
  const users = check.read<UserRecord>('users', ({ name }) => nameKey(name))
  const tokens = check.read<TokenRecord>('tokens', ({ id }) => nameKey(id))
  for (const { key, value } of environment.range('uses', {})) {
    try {
      decodeRecord<UseRecord>('uses', value)
    } catch {
      check.note('uses', key, 'cannot be read')
    }
  }
  const integrationIds = new Set([...integrations.values()].map(({ id }) => id))
  const keyNames = new Set([...keys.values()].map(({ name }) => name))
  const userNames = new Set([...users.values()].map(({ name }) => name))
  for (const job of jobs.values()) checkJob(check, job, integrationIds, shards, counters)
  for (const { id, connection } of integrations.values()) {
    for (const _ of sealer === null ? [] : lostSecrets(connection, sealer))
      check.note('integrations', idKey(id), 'has a secret that sealing.key does not open')
    const key = connection.api_key
    if (typeof key === 'string' && !keyNames.has(key))
      check.note('integrations', idKey(id), 'is bound to a key that there is not')
    if (counters !== null && id >= counters.nextIntegrationId)
      check.note('integrations', idKey(id), 'has an id that is still to be given')
  }
  for (const { name, hash } of keys.values()) if (!HASH.test(hash)) check.note('api_keys', nameKey(name), 'has no hash')
  for (const { id, user, hash } of tokens.values()) {
    if (!HASH.test(hash)) check.note('tokens', nameKey(id), 'has no hash')
    if (!userNames.has(user)) check.note('tokens', nameKey(id), 'belongs to a user that there is not')
  }
  return { problems: check.problems, jobs: new Map([...jobs.values()].map((job) => [job.id, job])) }
}

function checkJob(
  check: Check,
  job: JobSettings,
  integrations: ReadonlySet<number>,
  shards: number,
  counters: ResourceCounters | null,
): void {
  const key = idKey(job.id)
  if (!(job.shard >= 0 && job.shard < shards)) check.note('jobs', key, 'lies in a shard that there is not')
  if (job.labels.length !== 3) check.note('jobs', key, 'has another number of labels than three')
  if (counters !== null && job.id >= counters.nextJobId) check.note('jobs', key, 'has an id that is still to be given')
  for (const { integrationId } of job.pipeline) {
    if (!integrations.has(integrationId))
      check.note('jobs', key, `names the integration ${integrationId}, which there is not`)
  }
}
