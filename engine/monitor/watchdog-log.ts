/**
 * Watchdogs as they are kept: the table `watchdogs` of the catalog's environment, by number (u32, big-endian), JSON behind a
 * byte of version.
 *
 * 1. A change and its entry in the audit log are one commit.
 */
import type { AuditEntry, AuditTrail } from '../resource/audit-trail.js'
import { WriteBatch, type Environment } from '../store/environment.js'
import { jobKey as numberKey } from '../store/tables.js'
import type { WatchdogView } from './watchdog-service.js'

export const watchdogsTable = 'watchdogs'

/** As stored: without what is only measured. */
export type WatchdogRow = Omit<WatchdogView, 'value'>

const VERSION = 1

export class WatchdogLog {
  readonly #environment: Environment
  readonly #audit: AuditTrail
  readonly rows = new Map<string, WatchdogRow>()
  #next = 1

  constructor(environment: Environment, audit: AuditTrail) {
    this.#environment = environment
    this.#audit = audit
    for (const { key, value } of environment.range(watchdogsTable, {})) {
      const row = JSON.parse(Buffer.from(value.subarray(1)).toString()) as WatchdogRow | null
      this.#next = Math.max(this.#next, Buffer.from(key).readUInt32BE(0) + 1)
      if (row !== null) this.rows.set(row.id, row)
    }
  }

  /** A number that no watchdog has, or had while this process runs. */
  nextId(): string {
    return String(this.#next++)
  }

  /** @throws Refusal store_full, store_failed. */
  put(row: WatchdogRow, entry: AuditEntry): void {
    this.#commit(row.id, entry, Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(row))]))
    this.rows.set(row.id, row)
  }

  /** @throws Refusal store_full, store_failed. */
  remove(id: string, entry: AuditEntry): void {
    this.#commit(id, entry, null)
    this.rows.delete(id)
  }

  #commit(id: string, entry: AuditEntry, value: Uint8Array | null): void {
    const batch = new WriteBatch()
    this.#audit.record(batch, entry)
    if (value === null) batch.delete(watchdogsTable, numberKey(Number(id)))
    else batch.put(watchdogsTable, numberKey(Number(id)), value)
    this.#environment.commit(batch)
  }
}
