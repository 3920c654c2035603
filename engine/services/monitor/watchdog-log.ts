/**
 * Stored watchdogs: the table `watchdogs` of the catalog's environment. Keys are numbers (u32, big-endian), values a
 * version byte and JSON.
 *
 * 1. A change, its entry in the audit log and its alert (alert-log.ts) are one commit.
 */
import type { WatchdogView } from '../../api/watchdog-service.js'
import type { AuditEntry } from '../../api/audit-service.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { jobKey as numberKey } from '../../store/tables.js'
import type { AuditTrail } from '../../resource/audit-trail.js'
import type { WatchdogAlert } from '../../integration/contract.js'
import { ALERT_MICROS_MAX, alertsAfter, lastAlertMicros, putAlert } from './alert-log.js'

export const watchdogsTable = 'watchdogs'

/** A watchdog as stored: without measured values, and with what it needs to know later. */
export interface WatchdogRow extends Omit<WatchdogView, 'value' | 'integrations'> {
  readonly integrationIds: readonly number[]
  /** When its integrations were set, microseconds. */
  readonly namedMicros: number
  /** When integrations were last told that it fires, microseconds; null: never. */
  readonly toldMicros: number | null
  /** Integrations were told that it fires, and not yet that it resolved. */
  readonly isTold: boolean
  /** How often it fired since integrations were last told of anything, without being told of it. */
  readonly untold: number
}

/** A watchdog without the id that it gets when it is kept. */
export type NewWatchdogRow = Omit<WatchdogRow, 'id'>

/** All watchdogs, oldest first. */
export function* readWatchdogs(environment: Environment): Iterable<WatchdogRow> {
  for (const { value } of environment.range(watchdogsTable, {})) {
    const row = JSON.parse(Buffer.from(value.subarray(1)).toString()) as WatchdogRow | null
    if (row !== null) yield row
  }
}

const VERSION = 1

export class WatchdogLog {
  readonly #environment: Environment
  readonly #audit: AuditTrail
  readonly rows = new Map<string, WatchdogRow>()
  #next = 1
  #lastAlertMicros: number

  constructor(environment: Environment, audit: AuditTrail) {
    this.#environment = environment
    this.#audit = audit
    for (const row of readWatchdogs(environment)) {
      this.#next = Math.max(this.#next, Number(row.id) + 1)
      this.rows.set(row.id, row)
    }
    for (const { alert } of alertsAfter(environment, 0)) this.#next = Math.max(this.#next, Number(alert.watchdogId) + 1)
    this.#lastAlertMicros = lastAlertMicros(environment)
  }

  /** A number that no watchdog has, has had in this process, or has in a stored alert. */
  nextId(): string {
    return String(this.#next++)
  }

  /** True where integrations have alerts to tell, or may get some. */
  tells(nowMicros: number): boolean {
    if (nowMicros - this.#lastAlertMicros < ALERT_MICROS_MAX) return true
    for (const { integrationIds } of this.rows.values()) if (integrationIds.length > 0) return true
    return false
  }

  /** A time for an alert that no other alert has, microseconds. */
  alertMicros(nowMicros: number): number {
    return (this.#lastAlertMicros = Math.max(nowMicros, this.#lastAlertMicros + 1))
  }

  /**
   * Writes the row; the row's integrations will tell `alert`. Without an entry nothing is in the audit log: telling
   * again changes no watchdog. @throws Refusal store_full, store_failed.
   */
  put(row: WatchdogRow, entry: AuditEntry | null, alert: WatchdogAlert | null = null): void {
    this.#commit(row, entry, alert, Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(row))]))
    this.rows.set(row.id, row)
  }

  /** Deletes the row. The rest as `put`. */
  remove(row: WatchdogRow, entry: AuditEntry, alert: WatchdogAlert | null = null): void {
    this.#commit(row, entry, alert, null)
    this.rows.delete(row.id)
  }

  #commit(
    { id, integrationIds }: WatchdogRow,
    entry: AuditEntry | null,
    alert: WatchdogAlert | null,
    value: Uint8Array | null,
  ): void {
    const batch = new WriteBatch()
    if (alert !== null) putAlert(batch, this.#environment, { alert, integrationIds })
    if (entry !== null) this.#audit.record(batch, entry)
    if (value === null) batch.delete(watchdogsTable, numberKey(Number(id)))
    else batch.put(watchdogsTable, numberKey(Number(id)), value)
    this.#environment.commit(batch)
  }
}
