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
import { conditionOf } from './watchdog-conditions.js'
import type { NewWatchdogRow, WatchdogLog, WatchdogRow } from './watchdog-log.js'

export interface WatchdogChangesDeps {
  readonly log: WatchdogLog
  readonly resources: Pick<ResourceStore, 'job'>
  readonly integrations: Pick<Integrations, 'alerted'>
  readonly clock: Clock
}

type Details = Readonly<Record<string, unknown>>

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
    const throttled =
      row.toldMicros !== null && nowMicros >= row.toldMicros && nowMicros - row.toldMicros < row.throttleSeconds * 1e6
    const isTold = fires && row.integrationIds.length > 0 && !throttled
    const alert = isTold || (!fires && row.isTold) ? this.#alert(row, fires ? 'firing' : 'resolved', value) : null
    const changed: WatchdogRow = {
      ...row,
      state: fires ? 'firing' : 'ok',
      sinceMicros: nowMicros,
      isTold,
      toldMicros: isTold ? nowMicros : row.toldMicros,
    }
    log.put(changed, this.#entry(row, fires ? 'fired' : 'resolved', theService, details), alert)
    if (alert !== null) integrations.alerted()
  }

  /**
   * The alert that a firing watchdog ends with where it is checked no more; null where nobody was told that it fires.
   */
  #endOf(row: WatchdogRow): WatchdogAlert | null {
    return row.state === 'firing' && row.isTold ? this.#alert(row, 'resolved', null) : null
  }

  #alert(row: WatchdogRow, state: WatchdogAlert['state'], value: number | null): WatchdogAlert {
    const { log, clock, resources } = this.#deps
    const { id, title, type, condition, threshold, resolveThreshold, jobId, sinceMicros } = row
    const { unit = '', bad = 'above' } = conditionOf(type, condition) ?? {}
    const jobTitle = jobId === null ? null : (resources.job(jobId)?.title ?? '')
    return {
      atMicros: log.alertMicros(clock.nowMicros()),
      state,
      watchdogId: id,
      title,
      type,
      condition,
      unit,
      bad,
      threshold,
      resolveThreshold,
      value,
      jobId,
      jobTitle,
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
