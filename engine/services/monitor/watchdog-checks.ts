/**
 * The checks of watchdogs: each is measured when it is due, and fires or resolves.
 *
 * Owns: when each was checked, its latest value, its hysteresis, and the counts of the last hour. Leaves out: what is
 * measured (watchdog-readings.ts), what is written (watchdog-changes.ts).
 *
 * 1. A change that cannot be written is tried again at the next check.
 * 2. All checks start anew where the clock was set back.
 * 3. A watchdog of working hours is not measured outside of them: it keeps its state, and tells nothing.
 */
import type { Clock } from '../../clock.js'
import { isRefusal } from '../../errors.js'
import { DecisionWindow } from '../../domain/metrics/decision-window.js'
import { windowCountsOf } from '../../actor/decision-counts.js'
import type { ContainersDeps } from './containers.js'
import { Hysteresis } from './hysteresis.js'
import type { WatchdogChanges } from './watchdog-changes.js'
import { conditionOf } from './watchdog-conditions.js'
import type { WatchdogLog, WatchdogRow } from './watchdog-log.js'
import { WatchdogReadings, type FailingStep } from './watchdog-readings.js'
import { isWorking, peopleHoursOf, workingHoursOf, type WorkingHours } from '../../domain/job/working-hours.js'

/** A watchdog may be checked this much before it is due: the timer is never exact. */
const EARLY_MICROS = 1e6
/** States of steps that do not work. */
const FAILING: readonly string[] = ['open', 'stopped', 'full', 'invalid']

export class WatchdogChecks {
  readonly #deps: ContainersDeps
  readonly #log: WatchdogLog
  readonly #changes: WatchdogChanges
  readonly #clock: Clock
  readonly #window = new DecisionWindow()
  readonly #values = new Map<string, number | null>()
  readonly #hysteresis = new Map<string, Hysteresis>()
  /** When each was checked last, microseconds. */
  readonly #checked = new Map<string, number>()

  constructor(deps: ContainersDeps, log: WatchdogLog, changes: WatchdogChanges, clock: Clock) {
    this.#deps = deps
    this.#log = log
    this.#changes = changes
    this.#clock = clock
  }

  /** The latest value; null where nothing could be measured, or not yet. */
  valueOf(id: string): number | null {
    return this.#values.get(id) ?? null
  }

  /** Adds what was stored and decided since the last call, by job and place (decision-counts.ts). */
  count(decided: ReadonlyMap<number, Float64Array>): void {
    const watched = new Set([...this.#log.rows.values()].map(({ jobId }) => jobId))
    const now = this.#clock.nowMicros()
    for (const [jobId, counts] of decided) this.#window.add(jobId, windowCountsOf(counts), watched.has(jobId), now)
  }

  /** Checks every watchdog that is enabled and due. */
  async run(): Promise<void> {
    const rows = [...this.#log.rows.values()].filter(({ enabled }) => enabled)
    if (rows.length === 0) return
    const failing = rows.some(({ condition }) => condition === 'steps_failing') ? await this.#failingSteps() : []
    const nowMicros = this.#clock.nowMicros()
    if ([...this.#checked.values()].some((checkedMicros) => checkedMicros > nowMicros)) this.restart()
    const readings = new WatchdogReadings({
      deps: this.#deps,
      nowMicros,
      failing,
      window: (jobId, minutes) => this.#window.sum(jobId, minutes, nowMicros),
    })
    for (const { id } of rows) this.#check(id, readings, nowMicros)
  }

  /** Starts anew: a value must be bad for the whole time again. */
  restart(): void {
    this.#hysteresis.clear()
    this.#checked.clear()
  }

  forget(id: string): void {
    this.#values.delete(id)
    this.#hysteresis.delete(id)
    this.#checked.delete(id)
  }

  #check(id: string, readings: WatchdogReadings, nowMicros: number): void {
    // It may have been disabled or deleted while the failing steps were read.
    const row = this.#log.rows.get(id)
    if (row?.enabled !== true) return
    const condition = conditionOf(row.type, row.condition)
    // A condition of a newer version.
    if (condition === undefined) return
    if (nowMicros - (this.#checked.get(id) ?? 0) < row.intervalSeconds * 1e6 - EARLY_MICROS) return
    this.#checked.set(id, nowMicros)
    const hours = this.#hoursOf(row)
    // Nobody is there: it is not measured, and keeps its state.
    const value = hours !== null && !isWorking(hours, nowMicros / 1_000) ? null : readings.value(row, hours)
    this.#values.set(id, value)
    let hysteresis = this.#hysteresis.get(id)
    if (hysteresis === undefined) this.#hysteresis.set(id, (hysteresis = new Hysteresis()))
    if (hysteresis.mustChange(row, condition, value, nowMicros)) this.#changeState(row, value, nowMicros)
    else if (value !== null || hours === null) this.#tellLater(row, value, nowMicros)
  }

  /** The working hours that a watchdog keeps to; null for none. */
  #hoursOf({ workingHoursOnly, jobId }: WatchdogRow): WorkingHours | null {
    if (!workingHoursOnly) return null
    const { resources, hours } = this.#deps
    const settings = jobId === null ? {} : (resources.job(jobId)?.advancedSettings ?? {})
    const { workingHours, timeZone } = peopleHoursOf(settings, hours)
    return workingHoursOf(workingHours, timeZone)
  }

  #tellLater(row: WatchdogRow, value: number | null, nowMicros: number): void {
    try {
      this.#changes.tellLater(row, value, nowMicros)
    } catch (error) {
      if (!isRefusal(error)) throw error
    }
  }

  #changeState(row: WatchdogRow, value: number | null, nowMicros: number): void {
    const fires = row.state !== 'firing'
    const details = { condition: row.condition, value, threshold: fires ? row.threshold : row.resolveThreshold }
    try {
      this.#changes.changeState(row, value, nowMicros, details)
    } catch (error) {
      if (!isRefusal(error)) throw error
      return
    }
    this.#deps.logs.of('monitor')[fires ? 'warn' : 'info'](fires ? 'a watchdog fires' : 'a watchdog resolved', {
      watchdog: row.id,
      title: row.title,
      ...details,
    })
  }

  /** Pipeline steps that do not work; none where the integrations do not answer. */
  async #failingSteps(): Promise<FailingStep[]> {
    const { integrations } = this.#deps
    const steps = await Promise.all([
      integrations.inputs(),
      integrations.enrichments(),
      integrations.deliveries(),
    ]).catch(() => [])
    return steps.flat().filter(({ state }) => FAILING.includes(state))
  }
}
