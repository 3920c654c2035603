/**
 * The schedule of trainings: calls back when a job is due (CONTRACT.md#jobs), in the zone of the job.
 *
 * Owns: the due times, and one timer for the earliest. Leaves out: whether the job may train (job/retrain.ts),
 * training.
 *
 * 1. A job is scheduled while it is started and auto_retrain is enabled. Times that pass while the service is down or
 *    the job is stopped are skipped.
 * 2. A due job is called back once, however late. Then it waits for the next time after now.
 * 3. The timer does not keep the process alive.
 * 4. When the clock is set back by more than an hour, the due times are computed again. A smaller step repeats nothing.
 */
import type { Clock } from '../clock.js'
import type { JobSettings } from '../domain/job/job.js'
import { timeZoneOf } from '../domain/job/time-zone.js'
import { nextTimeMicros } from './cron.js'

interface Scheduled {
  readonly cron: string
  readonly zone: string
  readonly dueMicros: number
}

/** The longest wait of one timer: a changed wall clock is noticed within this time. */
const WAIT_MS_MAX = 60_000
/** Due times are computed again when the clock is set back by more than this. */
const SET_BACK_MICROS = 3_600e6

/** The next scheduled training of the job after `nowMicros`; null where there is none. */
export function nextRetrainMicros(job: JobSettings, nowMicros: number, serviceZone: string): number | null {
  const { autoRetrain, advancedSettings } = job
  if (autoRetrain === null || !autoRetrain.enabled || job.status !== 'STARTED') return null
  return nextTimeMicros(autoRetrain.cron, nowMicros, timeZoneOf(advancedSettings, serviceZone))
}

export class RetrainSchedule {
  readonly #clock: Clock
  readonly #due: (jobId: number) => void
  readonly #serviceZone: string
  readonly #scheduled = new Map<number, Scheduled>()
  #timer: NodeJS.Timeout | null = null
  #wakeMicros = Infinity
  /** The time of the latest tick. */
  #tickMicros: number
  #closed = false

  constructor(clock: Clock, serviceZone: string, due: (jobId: number) => void) {
    this.#clock = clock
    this.#serviceZone = serviceZone
    this.#due = due
    this.#tickMicros = clock.nowMicros()
  }

  /** Schedules a new or changed job. */
  put(job: JobSettings): void {
    if (this.#closed) return
    const before = this.#scheduled.get(job.id)
    const dueMicros = nextRetrainMicros(job, this.#clock.nowMicros(), this.#serviceZone)
    if (dueMicros === null || job.autoRetrain === null) {
      this.#scheduled.delete(job.id)
      return
    }
    const { cron } = job.autoRetrain
    const zone = timeZoneOf(job.advancedSettings, this.#serviceZone)
    if (before?.cron === cron && before.zone === zone) return
    this.#scheduled.set(job.id, { cron, zone, dueMicros })
    if (dueMicros < this.#wakeMicros) this.#arm(dueMicros)
  }

  remove(jobId: number): void {
    this.#scheduled.delete(jobId)
  }

  /** When the job is due, or null. */
  dueMicros(jobId: number): number | null {
    return this.#scheduled.get(jobId)?.dueMicros ?? null
  }

  /** Calls back every job that is due now, and sets the timer for the next one. The timer calls this. */
  tick(): void {
    if (this.#closed) return
    const now = this.#clock.nowMicros()
    if (now < this.#tickMicros - SET_BACK_MICROS) this.#reschedule([...this.#scheduled], now)
    this.#tickMicros = now
    const due = [...this.#scheduled].filter(([, job]) => job.dueMicros <= now)
    this.#reschedule(due, now)
    let earliest = Infinity
    for (const { dueMicros } of this.#scheduled.values()) earliest = Math.min(earliest, dueMicros)
    this.#arm(earliest)
    for (const [jobId] of due) this.#due(jobId)
  }

  #reschedule(scheduled: readonly (readonly [jobId: number, Scheduled])[], now: number): void {
    for (const [jobId, { cron, zone }] of scheduled) {
      const next = nextTimeMicros(cron, now, zone)
      if (next === null) this.#scheduled.delete(jobId)
      else this.#scheduled.set(jobId, { cron, zone, dueMicros: next })
    }
  }

  close(): void {
    this.#closed = true
    this.#scheduled.clear()
    this.#arm(Infinity)
  }

  #arm(wakeMicros: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#wakeMicros = wakeMicros
    if (wakeMicros === Infinity) return
    const waitMs = Math.ceil((wakeMicros - this.#clock.nowMicros()) / 1000)
    this.#timer = setTimeout(() => this.tick(), Math.min(Math.max(waitMs, 0), WAIT_MS_MAX))
    this.#timer.unref()
  }
}
