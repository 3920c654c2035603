/** Changes of resources that another process has committed, read from the rows that they changed. */
import type { JobSettings } from '../domain/job/job.js'
import { decodeRecord, type ApiKeyRecord, type IntegrationRecord } from './records.js'
import type { ResourceCounters, ResourceTable, TokenRecord, UserRecord } from './records.js'
import { Changes } from './state.js'

/** A row that was put, or deleted where the value is null. */
export type ChangedRow = readonly [table: string, key: Uint8Array, value: Uint8Array | null]

const COUNTERS = 'counters'

/**
 * The changes that rows of the catalog make; rows of other tables change no resource.
 * @throws Refusal data_dir_newer, data_dir_invalid.
 */
export function changesOfRows(rows: readonly ChangedRow[]): Changes {
  const changes = new Changes()
  for (const [table, key, value] of rows) {
    const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength)
    const record = <T>(): T | null => (value === null ? null : decodeRecord<T>(table as ResourceTable, value))
    if (table === 'jobs') changes.jobs.set(bytes.readUInt32BE(0), record<JobSettings>())
    else if (table === 'integrations') changes.integrations.set(bytes.readUInt32BE(0), record<IntegrationRecord>())
    else if (table === 'api_keys') changes.apiKeys.set(bytes.toString('utf8'), record<ApiKeyRecord>())
    else if (table === 'users') changes.users.set(bytes.toString('utf8'), record<UserRecord>())
    else if (table === 'tokens') changes.tokens.set(bytes.toString('utf8'), record<TokenRecord>())
    else if (table === 'meta' && bytes.toString('utf8') === COUNTERS) changes.counters = record<ResourceCounters>()
  }
  return changes
}
