/**
 * Watchdogs: set up by operators or by the settings of jobs, checked by the service.
 *
 * Owns: which watchdogs exist, and what is shown of them. Leaves out: checks (watchdog-checks.ts), commits
 * (watchdog-changes.ts), how new ones are validated (new-watchdog.ts).
 *
 * 1. A watchdog changes, fires and resolves in one commit with its entry in the audit log and with what integrations
 *    are to tell. After a restart it has the state that it had.
 */
import type { Clock } from '../../clock.js'
import { isRefusal, Refusal } from '../../errors.js'
import { type Author, theService } from '../../api/principal.js'
import type {
  NewWatchdog,
  WatchdogCondition,
  WatchdogService,
  WatchdogType,
  WatchdogView,
} from '../../api/watchdog-service.js'
import { monitorBounds } from './bounds.js'
import type { ContainersDeps } from './containers.js'
import { monitorChanges } from './job-watchdogs.js'
import { namedIntegrations, newWatchdog } from './new-watchdog.js'
import { WatchdogChanges } from './watchdog-changes.js'
import { WatchdogChecks } from './watchdog-checks.js'
import { conditions } from './watchdog-conditions.js'
import { peopleHoursOf } from '../../domain/job/working-hours.js'
import type { WatchdogLog, WatchdogRow } from './watchdog-log.js'

export class Watchdogs implements WatchdogService {
  readonly checks: WatchdogChecks
  readonly #deps: ContainersDeps
  readonly #log: WatchdogLog
  readonly #clock: Clock
  readonly #changes: WatchdogChanges

  constructor(deps: ContainersDeps, log: WatchdogLog, clock: Clock) {
    const { resources, integrations, hours } = deps
    this.#deps = deps
    this.#log = log
    this.#clock = clock
    this.#changes = new WatchdogChanges({ log, resources, integrations, clock, hours })
    this.checks = new WatchdogChecks(deps, log, this.#changes, clock)
  }

  list(type?: WatchdogType): WatchdogView[] {
    return [...this.#log.rows.values()]
      .filter((row) => type === undefined || row.type === type)
      .map((row) => this.#view(row))
  }

  get(id: string): WatchdogView {
    return this.#view(this.#row(id))
  }

  conditions(type: WatchdogType): readonly WatchdogCondition[] {
    return conditions[type]
  }

  create(query: NewWatchdog, by: Author): WatchdogView {
    const { resources, integrations } = this.#deps
    this.#mustHaveRoom()
    const integrationIds = namedIntegrations(resources.integrations(), query.integrations ?? [])
    const made = newWatchdog(query, integrationIds, this.#clock.nowMicros())
    const job = query.jobId === null ? null : resources.job(query.jobId)
    if (job === undefined) throw new Refusal('job_not_found', 'job not found')
    const people = peopleHoursOf(job?.advancedSettings ?? {}, this.#deps.hours)
    if (query.workingHoursOnly === true && people.workingHours.trim() === '') {
      const msg =
        'there are no working hours: give the job advanced_settings.working_hours, or the service SERVICE_WORKING_HOURS'
      throw new Refusal('invalid_body', msg, {
        issues: [{ loc: ['body', 'working_hours_only'], msg, type: 'value_error' }],
      })
    }
    const { type, condition, threshold, resolveThreshold } = made
    const row = this.#changes.create(made, by, { type, condition, threshold, resolve_threshold: resolveThreshold })
    integrations.rewire()
    return this.#view(row)
  }

  enable(id: string, enabled: boolean, by: Author): WatchdogView {
    const row = this.#ownRow(id)
    if (row.enabled === enabled) return this.#view(row)
    this.#enable(row, enabled, by)
    return this.get(id)
  }

  remove(id: string, by: Author): void {
    this.#remove(this.#ownRow(id), by)
  }

  /**
   * Makes the watchdogs of a job follow its settings (job-watchdogs.ts). With a deleted job all watchdogs of the job
   * are deleted. A change that cannot be written is logged.
   */
  followJob(jobId: number): void {
    try {
      this.#follow(jobId)
    } catch (error) {
      if (!isRefusal(error)) throw error
      this.#deps.logs.of('monitor').error('the watchdogs of a job could not be kept', { job_id: jobId, err: error })
    }
  }

  #follow(jobId: number): void {
    const { resources, integrations } = this.#deps
    const job = resources.job(jobId)
    const rows = [...this.#log.rows.values()].filter(
      (row) => row.jobId === jobId && (row.monitor !== null || job === undefined),
    )
    const changes = monitorChanges(rows, job, resources.integrations(), this.#clock.nowMicros())
    for (const { was, now } of changes) {
      if (was === null) {
        this.#mustHaveRoom()
        this.#changes.create(now, theService, { type: now.type, condition: now.condition })
      } else if (now === null) this.#remove(was, theService)
      else {
        this.#changes.update(was, now)
        if (was.enabled !== now.enabled) this.#enable({ ...now, enabled: was.enabled }, now.enabled, theService)
      }
    }
    if (changes.length > 0) integrations.rewire()
  }

  #mustHaveRoom(): void {
    if (this.#log.rows.size >= monitorBounds.watchdogsMax)
      throw new Refusal('limit_exceeded', `there are at most ${monitorBounds.watchdogsMax} watchdogs`)
  }

  #enable(row: WatchdogRow, enabled: boolean, by: Author): void {
    this.#changes.enable(row, enabled, by)
    this.checks.forget(row.id)
  }

  #remove(row: WatchdogRow, by: Author): void {
    this.#changes.remove(row, by)
    this.checks.forget(row.id)
    this.#deps.integrations.rewire()
  }

  /** A watchdog that an operator may change. @throws Refusal watchdog_not_found, watchdog_of_job. */
  #ownRow(id: string): WatchdogRow {
    const row = this.#row(id)
    if (row.monitor !== null) {
      throw new Refusal('watchdog_of_job', `the monitoring_settings of job ${row.jobId} define this watchdog`)
    }
    return row
  }

  #row(id: string): WatchdogRow {
    const row = this.#log.rows.get(id)
    if (row === undefined) throw new Refusal('watchdog_not_found', 'there is no such watchdog')
    return row
  }

  #view(row: WatchdogRow): WatchdogView {
    const value = this.checks.valueOf(row.id)
    const { namedMicros: _, toldMicros: __, isTold: ___, untold: ____, integrationIds, ...view } = row
    return {
      ...view,
      integrations: this.#titled(integrationIds),
      value,
      state: row.state === 'unknown' && value !== null ? 'ok' : row.state,
    }
  }

  #titled(ids: readonly number[]): WatchdogView['integrations'] {
    if (ids.length === 0) return []
    return [...this.#deps.resources.integrations()]
      .filter(({ id }) => ids.includes(id))
      .map(({ id, title }) => ({ id, title }))
  }
}
