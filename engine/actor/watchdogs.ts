/**
 * Watchdogs: set up by operators, looked at by the service itself.
 *
 * Owns: which there are, when they are looked at, what is told when one fires or resolves. Leaves out: what they measure
 * (watchdog-readings.ts), hysteresis (monitor/watchdog.ts).
 *
 * 1. A watchdog fires and resolves with an entry in the audit log, in one commit with its state: after a restart it is what it
 *    was. Where that cannot be written, it is tried again at the next look.
 */
import type { Clock } from '../clock.js'
import { isRefusal, Refusal } from '../errors.js'
import { limits } from '../limits.js'
import type { Author } from '../service.js'
import { monitorBounds } from '../monitor/bounds.js'
import { DecisionWindow, WINDOW_MINUTES_MAX, type WindowCounts } from '../monitor/decision-window.js'
import { SAMPLE_SECONDS } from '../monitor/sample-store.js'
import { conditionOf, conditions, Hysteresis } from '../monitor/watchdog.js'
import type { WatchdogLog, WatchdogRow } from '../monitor/watchdog-log.js'
import type { NewWatchdog, WatchdogCondition, WatchdogService, WatchdogType, WatchdogView } from '../monitor/watchdog-service.js'
import { theService, type AuditAction, type AuditEntry } from '../resource/audit-trail.js'
import { bands, OUTLIER_PLACE, STORED_PLACE } from './decided.js'
import type { ContainersParts } from './containers.js'
import { WatchdogReadings, type FailingStep } from './watchdog-readings.js'

const FOR_SECONDS = 60
const FAILING: readonly string[] = ['open', 'full', 'invalid']

export class Watchdogs implements WatchdogService {
  readonly #parts: ContainersParts
  readonly #log: WatchdogLog
  readonly #clock: Clock
  readonly #window = new DecisionWindow()
  readonly #values = new Map<string, number | null>()
  readonly #hysteresis = new Map<string, Hysteresis>()

  constructor(parts: ContainersParts, log: WatchdogLog, clock: Clock) {
    this.#parts = parts
    this.#log = log
    this.#clock = clock
  }

  list(type?: WatchdogType): WatchdogView[] {
    return [...this.#log.rows.values()].filter((row) => type === undefined || row.type === type).map((row) => this.#view(row))
  }

  get(id: string): WatchdogView {
    return this.#view(this.#row(id))
  }

  conditions(type: WatchdogType): readonly WatchdogCondition[] {
    return conditions[type]
  }

  create(asked: NewWatchdog, by: Author): WatchdogView {
    if (this.#log.rows.size >= monitorBounds.watchdogsMax) throw new Refusal('limit_exceeded', `there are at most ${monitorBounds.watchdogsMax} watchdogs`)
    const condition = mustFit(asked)
    if (asked.jobId !== null && this.#parts.catalog.job(asked.jobId) === undefined) throw new Refusal('job_not_found', 'job not found')
    const { title, type, jobId, threshold = condition.threshold, resolveThreshold = threshold, forSeconds = FOR_SECONDS, enabled = true } = asked
    const now = this.#clock.nowMicros()
    const row: WatchdogRow = {
      id: this.#log.nextId(), title, type, condition: condition.name, jobId, threshold, resolveThreshold, forSeconds, enabled,
      windowMinutes: asked.windowMinutes ?? condition.windowMinutes ?? 0, state: enabled ? 'unknown' : 'disabled', sinceMicros: now, createdMicros: now,
    }
    this.#log.put(row, this.#entry(row, 'created', by, { type, condition: row.condition, threshold, resolve_threshold: resolveThreshold }))
    return this.#view(row)
  }

  enable(id: string, enabled: boolean, by: Author): WatchdogView {
    const row = this.#row(id)
    if (row.enabled === enabled) return this.#view(row)
    const changed: WatchdogRow = { ...row, enabled, state: enabled ? 'unknown' : 'disabled', sinceMicros: this.#clock.nowMicros() }
    this.#log.put(changed, this.#entry(row, enabled ? 'enabled' : 'disabled', by))
    this.#forget(id)
    return this.#view(changed)
  }

  remove(id: string, by: Author): void {
    this.#log.remove(id, this.#entry(this.#row(id), 'deleted', by))
    this.#forget(id)
  }

  /** What was stored and decided since the last call, by job and place (decided.ts). */
  count(decided: ReadonlyMap<number, Float64Array>): void {
    const watched = new Set([...this.#log.rows.values()].map(({ jobId }) => jobId))
    const now = this.#clock.nowMicros()
    for (const [jobId, counts] of decided) this.#window.add(jobId, countsOf(counts), watched.has(jobId), now)
  }

  /** Looks at all of them. */
  async look(): Promise<void> {
    const rows = [...this.#log.rows.values()].filter(({ enabled }) => enabled)
    if (rows.length === 0) return
    const failing = rows.some(({ condition }) => condition === 'steps_failing') ? await this.#failing() : []
    const nowMicros = this.#clock.nowMicros()
    const readings = new WatchdogReadings({
      parts: this.#parts, nowMicros, failing, window: (jobId, minutes) => this.#window.sum(jobId, minutes, nowMicros),
    })
    for (const row of rows) this.#lookAt(this.#view(row), readings, nowMicros)
  }

  /** Begins looking anew: what was bad for a while has to be so again. */
  restart(): void {
    this.#hysteresis.clear()
  }

  #lookAt(watchdog: WatchdogView, readings: WatchdogReadings, nowMicros: number): void {
    const condition = conditionOf(watchdog.type, watchdog.condition)
    // Changed or deleted while failing steps were asked for, or of a newer version.
    if (condition === undefined || !this.#log.rows.get(watchdog.id)?.enabled) return
    const value = readings.value(watchdog)
    this.#values.set(watchdog.id, value)
    let hysteresis = this.#hysteresis.get(watchdog.id)
    if (hysteresis === undefined) this.#hysteresis.set(watchdog.id, (hysteresis = new Hysteresis()))
    if (!hysteresis.look(watchdog, condition, value, nowMicros)) return
    const { value: _, ...row } = watchdog
    const fires = watchdog.state !== 'firing'
    const changed: WatchdogRow = { ...row, state: fires ? 'firing' : 'ok', sinceMicros: nowMicros }
    const details = { condition: row.condition, value, threshold: fires ? row.threshold : row.resolveThreshold }
    try {
      this.#log.put(changed, this.#entry(row, fires ? 'fired' : 'resolved', theService, details))
    } catch (error) {
      if (!isRefusal(error)) throw error
      return
    }
    this.#parts.logs.of('monitor')[fires ? 'warn' : 'info'](fires ? 'a watchdog fires' : 'a watchdog resolved', { watchdog: row.id, title: row.title, ...details })
  }

  /** Steps of pipelines that do not work; none where nobody answers now. */
  async #failing(): Promise<FailingStep[]> {
    const { integrations } = this.#parts
    const steps = await Promise.all([integrations.inputs(), integrations.deliveries()]).catch(() => [])
    return steps.flat().filter(({ state }) => FAILING.includes(state))
  }

  #row(id: string): WatchdogRow {
    const row = this.#log.rows.get(id)
    if (row === undefined) throw new Refusal('watchdog_not_found', 'there is no such watchdog')
    return row
  }

  #view(row: WatchdogRow): WatchdogView {
    const value = this.#values.get(row.id) ?? null
    return { ...row, value, state: row.state === 'unknown' && value !== null ? 'ok' : row.state }
  }

  #forget(id: string): void {
    this.#values.delete(id)
    this.#hysteresis.delete(id)
  }

  #entry({ id, title, jobId }: WatchdogRow, action: AuditAction, by: Author, details?: Readonly<Record<string, unknown>>): AuditEntry {
    const job = jobId === null ? undefined : this.#parts.catalog.job(jobId)
    return {
      atMicros: this.#clock.nowMicros(), by, action, object: { type: 'watchdog', id, title },
      ...(job === undefined ? {} : { job: { id: job.id, title: job.title } }),
      ...(details === undefined ? {} : { details }),
    }
  }
}

function countsOf(counts: Float64Array): WindowCounts {
  const sum = { stored: counts[STORED_PLACE] as number, decided: 0, lowConfidence: 0, outliers: counts[OUTLIER_PLACE] as number }
  for (let place = 0; place < STORED_PLACE; place++) {
    sum.decided += counts[place] as number
    if (place % bands.length === 0) sum.lowConfidence += counts[place] as number
  }
  return sum
}

/** @throws Refusal invalid_body, with the place of what does not fit. */
function mustFit(asked: NewWatchdog): WatchdogCondition {
  const wrong = (field: string, msg: string): Refusal => {
    return new Refusal('invalid_body', msg, { issues: [{ loc: ['body', field], msg, type: 'value_error' }] })
  }
  const condition = conditionOf(asked.type, asked.condition)
  if (condition === undefined) {
    throw wrong('condition', `a watchdog of type ${asked.type} has one of these: ${conditions[asked.type].map(({ name }) => name).join(', ')}`)
  }
  if (asked.title.trim() === '' || asked.title.length > limits.nameCharsMax) throw wrong('title', `a title has 1 to ${limits.nameCharsMax} characters`)
  if (condition.scope === 'job' && asked.jobId === null) throw wrong('job_id', 'this condition is about one job')
  if (condition.scope === 'service' && asked.jobId !== null) throw wrong('job_id', 'this condition is about the service as a whole')
  const { threshold = condition.threshold, resolveThreshold = threshold, windowMinutes, forSeconds = FOR_SECONDS } = asked
  if (condition.bad === 'above' ? resolveThreshold > threshold : resolveThreshold < threshold) {
    throw wrong('resolve_threshold', `it is good again ${condition.bad === 'above' ? 'below' : 'above'} the threshold, not beyond it`)
  }
  if (windowMinutes !== undefined && (condition.windowMinutes === null || windowMinutes < 1 || windowMinutes > WINDOW_MINUTES_MAX)) {
    throw wrong('window_minutes', condition.windowMinutes === null ? 'this condition looks at the moment' : `1 to ${WINDOW_MINUTES_MAX} minutes`)
  }
  if (forSeconds < 0 || forSeconds > monitorBounds.watchdogWindowSecondsMax) {
    throw wrong('for_seconds', `0 to ${monitorBounds.watchdogWindowSecondsMax} seconds; looked at every ${SAMPLE_SECONDS}`)
  }
  return condition
}
