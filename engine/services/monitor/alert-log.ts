/**
 * Stored alerts: watchdogs that fired or resolved, for the integrations that tell of them. A table of the catalog's
 * environment.
 *
 * | table           | key                        | value                                                          |
 * |-----------------|----------------------------|----------------------------------------------------------------|
 * | watchdog_alerts | time u64 (big-endian, µs)  | version u8, JSON: the alert and the integrations that tell it  |
 *
 * 1. A row is written in the commit that changes its watchdog (watchdog-log.ts). A reader that goes on from a time
 *    misses none.
 * 2. At most `alertsKept` rows of the last `alertDaysMax` days are kept. An integration that is away for longer misses
 *    the oldest.
 */
import { DAY_MICROS } from '../../clock.js'
import type { Environment, WriteBatch } from '../../store/environment.js'
import { timeOfValue, timeValue } from '../../store/tables.js'
import type { WatchdogAlert } from '../../integration/contract.js'
import { monitorBounds } from './bounds.js'

export const alertsTable = 'watchdog_alerts'

const VERSION = 1
/** Age from which alerts are no longer told, microseconds. */
export const ALERT_MICROS_MAX = monitorBounds.alertDaysMax * DAY_MICROS

export interface LoggedAlert {
  readonly alert: WatchdogAlert
  readonly integrationIds: readonly number[]
}

function decode(value: Uint8Array): LoggedAlert {
  return JSON.parse(Buffer.from(value.subarray(1)).toString()) as LoggedAlert
}

/** Adds an alert, and deletes those that are too many or too old. */
export function putAlert(batch: WriteBatch, environment: Environment, row: LoggedAlert): void {
  const surplus = environment.count(alertsTable, {}) + 1 - monitorBounds.alertsKept
  if (surplus > 0)
    for (const { key } of environment.range(alertsTable, { limit: surplus })) batch.delete(alertsTable, key)
  const to = timeValue(Math.max(0, row.alert.atMicros - ALERT_MICROS_MAX))
  for (const { key } of environment.range(alertsTable, { to })) batch.delete(alertsTable, key)
  const value = Buffer.concat([Buffer.of(VERSION), Buffer.from(JSON.stringify(row))])
  batch.put(alertsTable, timeValue(row.alert.atMicros), value)
}

/** Alerts after a time, oldest first. */
export function* alertsAfter(environment: Environment, micros: number): Iterable<LoggedAlert> {
  for (const { value } of environment.range(alertsTable, { from: timeValue(micros + 1) })) yield decode(value)
}

export function alertAt(environment: Environment, micros: number): LoggedAlert | null {
  const value = environment.get(alertsTable, timeValue(micros))
  return value === undefined ? null : decode(value)
}

/** The time of the latest alert, microseconds; 0 without alerts. */
export function lastAlertMicros(environment: Environment): number {
  for (const { key } of environment.range(alertsTable, { reverse: true, limit: 1 })) return timeOfValue(key)
  return 0
}
