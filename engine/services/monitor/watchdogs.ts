/**
 * Watchdogs: set up by operators, looked at by the service itself.
 *
 * Owns: which there are, when they are looked at, what is told when one fires or resolves. Leaves out: what they measure
 * (watchdog-readings.ts), hysteresis (monitor/watchdog.ts), what a new one is (new-watchdog.ts), those that jobs bring along
 * (job-watchdogs.ts), telling the outside (alert-deliveries.ts).
 *
 * 1. A watchdog fires and resolves with an entry in the audit log, in one commit with its state: after a restart it is what it
 *    was. Where that cannot be written, it is tried again at the next look.
 * 2. What integrations are to tell is in the same commit.
 */
import type { Clock } from '../../clock.js'
import { isRefusal, Refusal } from '../../errors.js'
import { monitorBounds } from './bounds.js'
import { DecisionWindow } from '../../domain/metrics/decision-window.js'
import { conditionOf, conditions, Hysteresis } from './watchdog.js'
import type { WatchdogLog, WatchdogRow } from './watchdog-log.js'
import type {
  NewWatchdog,
  WatchdogCondition,
  WatchdogService,
  WatchdogType,
  WatchdogView,
} from '../../api/watchdog-service.js'
import { windowCountsOf } from '../../actor/decision-counts.js'
import type { ContainersDeps } from './containers.js'
import { monitorChanges } from './job-watchdogs.js'
import { namedIntegrations, newWatchdog } from './new-watchdog.js'
import { WatchdogReadings, type FailingStep } from './watchdog-readings.js'
import { type Author, theService } from '../../api/principal.js'
import type { AuditAction, AuditEntry } from '../../api/audit-service.js'
import type { WatchdogAlert } from '../../integration/contract.js'

const EARLY_MICROS = 1e6
const FAILING: readonly string[] = ['open', 'full', 'invalid']

export class Watchdogs implements WatchdogService {
  readonly #deps: ContainersDeps
  readonly #log: WatchdogLog
  readonly #clock: Clock
  readonly #window = new DecisionWindow()
  readonly #values = new Map<string, number | null>()
  readonly #hysteresis = new Map<string, Hysteresis>()
  readonly #looked = new Map<string, number>()

  constructor(deps: ContainersDeps, log: WatchdogLog, clock: Clock) {
    this.#deps = deps
    this.#log = log
    this.#clock = clock
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
    this.#mustFitIn()
    const integrationIds = namedIntegrations(this.#deps.resources.integrations(), query.integrations ?? [])
    const row = newWatchdog(query, this.#log.nextId(), integrationIds, this.#clock.nowMicros())
    if (query.jobId !== null && this.#deps.resources.job(query.jobId) === undefined)
      throw new Refusal('job_not_found', 'job not found')
    const { type, condition, threshold, resolveThreshold } = row
    this.#log.put(
      row,
      this.#entry(row, 'created', by, { type, condition, threshold, resolve_threshold: resolveThreshold }),
    )
    this.#deps.integrations.rewire()
    return this.#view(row)
  }

  enable(id: string, enabled: boolean, by: Author): WatchdogView {
    const row = this.#ownRow(id)
    if (row.enabled === enabled) return this.#view(row)
    this.#switch(row, enabled, by)
    return this.get(id)
  }

  remove(id: string, by: Author): void {
    this.#delete(this.#ownRow(id), by)
  }

  /** The watchdogs of a job's settings become what they say now (job-watchdogs.ts); with a job that is gone all of its own go. */
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
      if (now === null) this.#delete(was, theService)
      else if (was === null) {
        this.#mustFitIn()
        const row = { ...now, id: this.#log.nextId() }
        this.#log.put(row, this.#entry(row, 'created', theService, { type: row.type, condition: row.condition }))
      } else {
        this.#log.put({ ...now, enabled: was.enabled }, this.#entry(was, 'updated', theService))
        if (was.enabled !== now.enabled) this.#switch({ ...now, enabled: was.enabled }, now.enabled, theService)
      }
    }
    if (changes.length > 0) integrations.rewire()
  }

  #mustFitIn(): void {
    if (this.#log.rows.size >= monitorBounds.watchdogsMax)
      throw new Refusal('limit_exceeded', `there are at most ${monitorBounds.watchdogsMax} watchdogs`)
  }

  #switch(row: WatchdogRow, enabled: boolean, by: Author): void {
    const changed: WatchdogRow = {
      ...row,
      enabled,
      state: enabled ? 'unknown' : 'disabled',
      sinceMicros: this.#clock.nowMicros(),
      isTold: false,
    }
    this.#log.put(changed, this.#entry(row, enabled ? 'enabled' : 'disabled', by), this.#endOf(row))
    this.#deps.integrations.alerted()
    this.#forget(row.id)
  }

  #delete(row: WatchdogRow, by: Author): void {
    this.#log.remove(row, this.#entry(row, 'deleted', by), this.#endOf(row))
    this.#forget(row.id)
    this.#deps.integrations.alerted()
    this.#deps.integrations.rewire()
  }

  /** What was stored and decided since the last call, by job and place (decision-counts.ts). */
  count(decided: ReadonlyMap<number, Float64Array>): void {
    const watched = new Set([...this.#log.rows.values()].map(({ jobId }) => jobId))
    const now = this.#clock.nowMicros()
    for (const [jobId, counts] of decided) this.#window.add(jobId, windowCountsOf(counts), watched.has(jobId), now)
  }

  /** Looks at all of them; anew where the clock was set back. */
  async look(): Promise<void> {
    const rows = [...this.#log.rows.values()].filter(({ enabled }) => enabled)
    if (rows.length === 0) return
    const failing = rows.some(({ condition }) => condition === 'steps_failing') ? await this.#failing() : []
    const nowMicros = this.#clock.nowMicros()
    if ([...this.#looked.values()].some((lookedMicros) => lookedMicros > nowMicros)) this.restart()
    const readings = new WatchdogReadings({
      deps: this.#deps,
      nowMicros,
      failing,
      window: (jobId, minutes) => this.#window.sum(jobId, minutes, nowMicros),
    })
    for (const row of rows) this.#lookAt(this.#view(row), readings, nowMicros)
  }

  /** Begins looking anew: what was bad for a while has to be so again. */
  restart(): void {
    this.#hysteresis.clear()
    this.#looked.clear()
  }

  #lookAt(watchdog: WatchdogView, readings: WatchdogReadings, nowMicros: number): void {
    const condition = conditionOf(watchdog.type, watchdog.condition)
    const row = this.#log.rows.get(watchdog.id)
    // Changed or deleted while failing steps were asked for, or of a newer version.
    if (condition === undefined || row?.enabled !== true) return
    // Looks come a little early and a little late.
    if (nowMicros - (this.#looked.get(row.id) ?? 0) < row.intervalSeconds * 1e6 - EARLY_MICROS) return
    this.#looked.set(row.id, nowMicros)
    const value = readings.value(watchdog)
    this.#values.set(watchdog.id, value)
    let hysteresis = this.#hysteresis.get(watchdog.id)
    if (hysteresis === undefined) this.#hysteresis.set(watchdog.id, (hysteresis = new Hysteresis()))
    if (!hysteresis.look(watchdog, condition, value, nowMicros)) return
    const fires = row.state !== 'firing'
    const details = { condition: row.condition, value, threshold: fires ? row.threshold : row.resolveThreshold }
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
    try {
      this.#log.put(changed, this.#entry(row, fires ? 'fired' : 'resolved', theService, details), alert)
    } catch (error) {
      if (!isRefusal(error)) throw error
      return
    }
    if (alert !== null) this.#deps.integrations.alerted()
    this.#deps.logs.of('monitor')[fires ? 'warn' : 'info'](fires ? 'a watchdog fires' : 'a watchdog resolved', {
      watchdog: row.id,
      title: row.title,
      ...details,
    })
  }

  /** What is told where it fires and nobody looks at it any more. */
  #endOf(row: WatchdogRow): WatchdogAlert | null {
    return row.state === 'firing' && row.isTold ? this.#alert(row, 'resolved', null) : null
  }

  #alert(row: WatchdogRow, state: WatchdogAlert['state'], value: number | null): WatchdogAlert {
    const { id, title, type, condition, threshold, resolveThreshold, jobId, sinceMicros } = row
    const { unit = '', bad = 'above' } = conditionOf(type, condition) ?? {}
    const jobTitle = jobId === null ? null : (this.#deps.resources.job(jobId)?.title ?? '')
    return {
      atMicros: this.#log.alertMicros(this.#clock.nowMicros()),
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

  /** Steps of pipelines that do not work; none where nobody answers now. */
  async #failing(): Promise<FailingStep[]> {
    const { integrations } = this.#deps
    const steps = await Promise.all([
      integrations.inputs(),
      integrations.enrichments(),
      integrations.deliveries(),
    ]).catch(() => [])
    return steps.flat().filter(({ state }) => FAILING.includes(state))
  }

  /** One that operators made. */
  #ownRow(id: string): WatchdogRow {
    const row = this.#row(id)
    if (row.monitor !== null)
      throw new Refusal(
        'watchdog_of_job',
        `the monitoring_settings of job ${row.jobId} say what becomes of this watchdog`,
      )
    return row
  }

  #row(id: string): WatchdogRow {
    const row = this.#log.rows.get(id)
    if (row === undefined) throw new Refusal('watchdog_not_found', 'there is no such watchdog')
    return row
  }

  #view(row: WatchdogRow): WatchdogView {
    const value = this.#values.get(row.id) ?? null
    const { namedMicros: _, toldMicros: __, isTold: ___, integrationIds, ...view } = row
    return {
      ...view,
      integrations: this.#titled(integrationIds),
      value,
      state: row.state === 'unknown' && value !== null ? 'ok' : row.state,
    }
  }

  /** Asked for each watchdog at each look: most name none. */
  #titled(ids: readonly number[]): WatchdogView['integrations'] {
    if (ids.length === 0) return []
    return [...this.#deps.resources.integrations()]
      .filter(({ id }) => ids.includes(id))
      .map(({ id, title }) => ({ id, title }))
  }

  #forget(id: string): void {
    this.#values.delete(id)
    this.#hysteresis.delete(id)
    this.#looked.delete(id)
  }

  #entry(
    { id, title, jobId }: WatchdogRow,
    action: AuditAction,
    by: Author,
    details?: Readonly<Record<string, unknown>>,
  ): AuditEntry {
    const job = jobId === null ? undefined : this.#deps.resources.job(jobId)
    return {
      atMicros: this.#clock.nowMicros(),
      by,
      action,
      object: { type: 'watchdog', id, title },
      ...(job === undefined ? {} : { job: { id: job.id, title: job.title } }),
      ...(details === undefined ? {} : { details }),
    }
  }
}
