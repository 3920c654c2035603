/**
 * Changes of watchdogs: each in one commit with its entry in the audit log and, where integrations are told, with an
 * alert.
 *
 * Owns: what is written when a watchdog is made, changed, switched, deleted, when it fires and when it resolves. Leaves
 * out: the tables (watchdog-log.ts), sending alerts (alert-deliveries.ts).
 */
import type { Clock } from '../../clock.js'
import type { AuditAction, AuditEntry } from '../../api/audit-service.js'
import { type Author, theService } from '../../api/principal.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { WatchdogAlert } from '../../integration/contract.js'
import type { Integrations } from '../integrations/integrations.js'
import type { PeopleHours } from '../../domain/job/working-hours.js'
import { timeZoneOf } from '../../domain/job/time-zone.js'
import { conditionOf } from './watchdog-conditions.js'
import type { NewWatchdogRow, WatchdogLog, WatchdogRow } from './watchdog-log.js'

export interface WatchdogChangesDeps {
  readonly log: WatchdogLog
  readonly resources: Pick<ResourceStore, 'job'>
  readonly integrations: Pick<Integrations, 'alerted'>
  readonly clock: Clock
  /** When people are there, where a job does not say. */
  readonly hours: PeopleHours
}

type Details = Readonly<Record<string, unknown>>

/** Whether integrations were told that it fires so recently that they are not told again yet. */
function isThrottled({ toldMicros, throttleSeconds }: WatchdogRow, nowMicros: number): boolean {
  return toldMicros !== null && nowMicros >= toldMicros && nowMicros - toldMicros < throttleSeconds * 1e6
}

/** Each method throws Refusal store_full, store_failed, and then has changed nothing. */
export class WatchdogChanges {
  readonly #deps: WatchdogChangesDeps

  constructor(deps: WatchdogChangesDeps) {
    this.#deps = deps
  }

  /** Keeps a new watchdog and gives it its id. */
  create(made: NewWatchdogRow, by: Author, details: Details): WatchdogRow {
    const { log } = this.#deps
    const row = { ...made, id: log.nextId() }
    log.put(row, this.#entry(row, 'created', by, details))
    return row
  }

  /** Replaces `was` by what its job's settings say now. Whether it is enabled stays (`enable`). */
  update(was: WatchdogRow, now: WatchdogRow): void {
    this.#deps.log.put({ ...now, enabled: was.enabled }, this.#entry(was, 'updated', theService))
  }

  /** Enables or disables a watchdog. Integrations that were told that it fires are told that it resolved. */
  enable(row: WatchdogRow, enabled: boolean, by: Author): void {
    const { log, clock, integrations } = this.#deps
    const changed: WatchdogRow = {
      ...row,
      enabled,
      state: enabled ? 'unknown' : 'disabled',
      sinceMicros: clock.nowMicros(),
      isTold: false,
      untold: 0,
    }
    log.put(changed, this.#entry(row, enabled ? 'enabled' : 'disabled', by), this.#endOf(row))
    integrations.alerted()
  }

  /** Deletes a watchdog. Integrations that were told that it fires are told that it resolved. */
  remove(row: WatchdogRow, by: Author): void {
    const { log, integrations } = this.#deps
    log.remove(row, this.#entry(row, 'deleted', by), this.#endOf(row))
    integrations.alerted()
  }

  /** A watchdog fires, or resolves where it fires already. */
  changeState(row: WatchdogRow, value: number | null, nowMicros: number, details: Details): void {
    const { log, integrations } = this.#deps
    const fires = row.state !== 'firing'
    const isTold = fires && row.integrationIds.length > 0 && !isThrottled(row, nowMicros)
    const changed: WatchdogRow = { ...row, state: fires ? 'firing' : 'ok', sinceMicros: nowMicros }
    const untold = fires && row.integrationIds.length > 0 ? row.untold + 1 : row.untold
    let alert: WatchdogAlert | null = null
    if (isTold) alert = this.#alert({ ...row, untold }, { state: 'firing', value, firingSinceMicros: nowMicros })
    else if (!fires && row.isTold)
      alert = this.#alert(row, { state: 'resolved', value, firingSinceMicros: row.sinceMicros })
    const told = alert === null ? { untold } : { untold: 0, toldMicros: isTold ? nowMicros : row.toldMicros }
    log.put({ ...changed, isTold, ...told }, this.#entry(row, fires ? 'fired' : 'resolved', theService, details), alert)
    if (alert !== null) integrations.alerted()
  }

  /**
   * Tells what was held back, once it may be told: that it fires, and since when, or that it fired and is over. A
   * watchdog that was told of and still fires is told of again where reminders are wanted.
   */
  tellLater(row: WatchdogRow, value: number | null, nowMicros: number): void {
    const { state, integrationIds, untold, isTold, toldMicros, reminderSeconds, sinceMicros } = row
    if (integrationIds.length === 0) return
    const isFiring = state === 'firing'
    const isHeldBack = untold > 0 && !isTold && !isThrottled(row, nowMicros)
    const isReminder =
      isFiring && isTold && reminderSeconds > 0 && nowMicros - (toldMicros ?? 0) >= reminderSeconds * 1e6
    if (!isHeldBack && !isReminder) return
    const alert = this.#alert(row, {
      state: isFiring ? 'firing' : 'resolved',
      value,
      firingSinceMicros: isFiring ? sinceMicros : null,
      isReminder,
    })
    const { log, integrations } = this.#deps
    log.put({ ...row, isTold: isFiring, untold: 0, toldMicros: nowMicros }, null, alert)
    integrations.alerted()
  }

  /**
   * The alert that a firing watchdog ends with where it is checked no more; null where nobody was told that it fires.
   */
  #endOf(row: WatchdogRow): WatchdogAlert | null {
    if (row.state !== 'firing' || !row.isTold) return null
    return this.#alert(row, { state: 'resolved', value: null, firingSinceMicros: row.sinceMicros })
  }

  #alert(
    row: WatchdogRow,
    {
      isReminder = false,
      ...what
    }: Pick<WatchdogAlert, 'state' | 'value' | 'firingSinceMicros'> & { readonly isReminder?: boolean },
  ): WatchdogAlert {
    const { log, clock, resources, hours } = this.#deps
    const { id, title, type, condition, threshold, resolveThreshold, jobId, sinceMicros, untold } = row
    const { unit = '', bad = 'above' } = conditionOf(type, condition) ?? {}
    const job = jobId === null ? undefined : resources.job(jobId)
    return {
      ...what,
      atMicros: log.alertMicros(clock.nowMicros()),
      isReminder,
      fired: untold,
      timeZone: timeZoneOf(job?.advancedSettings ?? {}, hours.timeZone),
      watchdogId: id,
      title,
      type,
      condition,
      unit,
      bad,
      threshold,
      resolveThreshold,
      jobId,
      jobTitle: jobId === null ? null : (job?.title ?? ''),
      sinceMicros,
    }
  }

  #entry({ id, title, jobId }: WatchdogRow, action: AuditAction, by: Author, details?: Details): AuditEntry {
    const { clock, resources } = this.#deps
    const job = jobId === null ? undefined : resources.job(jobId)
    return {
      atMicros: clock.nowMicros(),
      by,
      action,
      object: { type: 'watchdog', id, title },
      ...(job === undefined ? {} : { job: { id: job.id, title: job.title } }),
      ...(details === undefined ? {} : { details }),
    }
  }
}
