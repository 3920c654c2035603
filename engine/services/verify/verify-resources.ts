/**
 * Verifies the records of the catalog: that they can be read, and name only what exists.
 *
 * Owns: what must hold inside the catalog. Leaves out: the audit log (audit-proof.ts), the shards (verify-shard.ts).
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
  /** Jobs that can be read, by id. */
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
      // Noted below.
    }
    this.note(table, key, 'cannot be read')
    return null
  }
}

/** Verifies the records, and with a `sealer` that their secrets can be opened. */
export function verifyResources(environment: Environment, shards: number, sealer: Sealer | null): ResourceCheck {
  const check = new Check(environment)
  const counters = check.counters()
  const jobs = check.read<JobSettings>('jobs', ({ id }) => idKey(id))
  const integrations = check.read<IntegrationRecord>('integrations', ({ id }) => idKey(id))
  const keys = check.read<ApiKeyRecord>('api_keys', ({ name }) => nameKey(name))
  const users = check.read<UserRecord>('users', ({ name }) => nameKey(name))
  const tokens = check.read<TokenRecord>('tokens', ({ id }) => nameKey(id))
  checkUses(check, environment)
  const integrationIds = new Set([...integrations.values()].map(({ id }) => id))
  const keyNames = new Set([...keys.values()].map(({ name }) => name))
  const userNames = new Set([...users.values()].map(({ name }) => name))
  for (const job of jobs.values()) checkJob(check, job, { integrations: integrationIds, shards, counters })
  for (const record of integrations.values()) checkIntegration(check, record, { keyNames, sealer, counters })
  for (const { name, hash } of keys.values()) if (!HASH.test(hash)) check.note('api_keys', nameKey(name), 'has no hash')
  for (const { id, user, hash } of tokens.values()) {
    if (!HASH.test(hash)) check.note('tokens', nameKey(id), 'has no hash')
    if (!userNames.has(user)) check.note('tokens', nameKey(id), 'is of a user that does not exist')
  }
  return { problems: check.problems, jobs: new Map([...jobs.values()].map((job) => [job.id, job])) }
}

/** What a job's record may refer to. */
interface JobReferences {
  readonly integrations: ReadonlySet<number>
  readonly shards: number
  readonly counters: ResourceCounters | null
}

function checkJob(check: Check, job: JobSettings, { integrations, shards, counters }: JobReferences): void {
  const key = idKey(job.id)
  if (!(job.shard >= 0 && job.shard < shards)) check.note('jobs', key, 'is in a shard that does not exist')
  if (job.labels.length !== 3) check.note('jobs', key, 'does not have three labels')
  if (counters !== null && job.id >= counters.nextJobId)
    check.note('jobs', key, 'has an id that has not been given yet')
  for (const { integrationId } of job.pipeline) {
    if (!integrations.has(integrationId))
      check.note('jobs', key, `names the integration ${integrationId}, which does not exist`)
  }
}

/** What an integration's record may refer to. */
interface IntegrationReferences {
  readonly keyNames: ReadonlySet<string>
  /** Null where secrets are not opened. */
  readonly sealer: Sealer | null
  readonly counters: ResourceCounters | null
}

function checkIntegration(
  check: Check,
  { id, connection }: IntegrationRecord,
  { keyNames, sealer, counters }: IntegrationReferences,
): void {
  for (const _ of sealer === null ? [] : lostSecrets(connection, sealer))
    check.note('integrations', idKey(id), 'has a secret that sealing.key does not open')
  const key = connection.api_key
  if (typeof key === 'string' && !keyNames.has(key))
    check.note('integrations', idKey(id), 'is bound to a key that does not exist')
  if (counters !== null && id >= counters.nextIntegrationId)
    check.note('integrations', idKey(id), 'has an id that has not been given yet')
}

function checkUses(check: Check, environment: Environment): void {
  for (const { key, value } of environment.range('uses', {})) {
    try {
      decodeRecord<UseRecord>('uses', value)
    } catch {
      check.note('uses', key, 'cannot be read')
    }
  }
}
