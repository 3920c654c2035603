/**
 * Watchdogs as they are kept: the table `watchdogs` of the catalog's environment, by number (u32, big-endian), JSON behind a
 * byte of version.
 *
 * 1. A change, its entry in the audit log and what is told of it (alert-log.ts) are one commit.
 */
import type { AuditTrail } from '../../resource/audit-trail.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { jobKey as numberKey } from '../../store/tables.js'
import { ALERT_MICROS_MAX, alertsAfter, lastAlertMicros, putAlert } from './alert-log.js'
import type { WatchdogView } from '../../api/watchdog-service.js'
import type { AuditEntry } from '../../api/audit-service.js'
import type { WatchdogAlert } from '../../integration/contract.js'

export const watchdogsTable = 'watchdogs'

/** As stored: without what is only measured, and with what is only remembered. */
export interface WatchdogRow extends Omit<WatchdogView, 'value' | 'integrations'> {
  readonly integrationIds: readonly number[]
  /** When its integrations were named. */
  readonly namedMicros: number
  /** When it last told that it fires; null: never. */
  readonly toldMicros: number | null
  /** It told that it fires, and has not told that it resolved. */
  readonly isTold: boolean
}

/** All of them, by age. */
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

  /** A number that no watchdog has, or had while this process runs, or in an alert that is kept. */
  nextId(): string {
    return String(this.#next++)
  }

  /** Whether integrations have something to tell, or may get it. */
  tells(nowMicros: number): boolean {
    if (nowMicros - this.#lastAlertMicros < ALERT_MICROS_MAX) return true
    for (const { integrationIds } of this.rows.values()) if (integrationIds.length > 0) return true
    return false
  }

  /** A time for an alert that no other has. */
  alertMicros(nowMicros: number): number {
    return (this.#lastAlertMicros = Math.max(nowMicros, this.#lastAlertMicros + 1))
  }

  /** `alert` is told to the row's integrations. @throws Refusal store_full, store_failed. */
  put(row: WatchdogRow, entry: AuditEntry, alert: WatchdogAlert | null = null): void {
    this.#commit(row, entry, alert, Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(row))]))
    this.rows.set(row.id, row)
  }

  /** As put. */
  remove(row: WatchdogRow, entry: AuditEntry, alert: WatchdogAlert | null = null): void {
    this.#commit(row, entry, alert, null)
    this.rows.delete(row.id)
  }

  #commit(
    { id, integrationIds }: WatchdogRow,
    entry: AuditEntry,
    alert: WatchdogAlert | null,
    value: Uint8Array | null,
  ): void {
    const batch = new WriteBatch()
    if (alert !== null) putAlert(batch, this.#environment, { alert, integrationIds })
    this.#audit.record(batch, entry)
    if (value === null) batch.delete(watchdogsTable, numberKey(Number(id)))
    else batch.put(watchdogsTable, numberKey(Number(id)), value)
    this.#environment.commit(batch)
  }
}
