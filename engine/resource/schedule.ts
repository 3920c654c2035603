/**
 * The clock-work of scheduled training: calls back when a job is due (CONTRACT.md#jobs), in UTC.
 *
 * Owns: which job is due when, and the one timer that waits for the earliest. Leaves out: whether it may train then
 * (job/retrain.ts) and training.
 *
 * 1. A job is scheduled while it is started and its auto_retrain enabled. A time that passed while the service was
 *    down, or the job stopped, is not made up for.
 * 2. A job that is due is called back once, however late, and waits for the next time after now.
 * 3. The timer holds no process alive.
 * 4. A clock that is set back by far brings the next times back with it; what is a little back repeats nothing.
 */
import type { Clock } from '../clock.js'
import type { JobSettings } from '../domain/job/job.js'
import { nextTimeMicros } from './cron.js'

interface Appointment {
  readonly cron: string
  readonly dueMicros: number
}

/** The longest that one timer waits; a wall clock that was set is noticed after this long. */
const WAIT_MS_MAX = 60_000
/** From so far back on, next times are looked for anew. */
const SET_BACK_MICROS = 3_600e6

/** When the job trains next by itself, after `nowMicros`; null where it does not. */
export function nextRetrainMicros(job: JobSettings, nowMicros: number): number | null {
  const { autoRetrain } = job
  if (autoRetrain === null || !autoRetrain.enabled || job.status !== 'STARTED') return null
  return nextTimeMicros(autoRetrain.cron, nowMicros)
}

export class RetrainSchedule {
  readonly #clock: Clock
  readonly #due: (jobId: number) => void
  readonly #appointments = new Map<number, Appointment>()
  #timer: NodeJS.Timeout | null = null
  #wakeMicros = Infinity
  /** When it was looked at last. */
  #tickMicros: number
  #closed = false

  constructor(clock: Clock, due: (jobId: number) => void) {
    this.#clock = clock
    this.#due = due
    this.#tickMicros = clock.nowMicros()
  }

  /** Takes in a new or changed job. */
  put(job: JobSettings): void {
    if (this.#closed) return
    const before = this.#appointments.get(job.id)
    const dueMicros = nextRetrainMicros(job, this.#clock.nowMicros())
    if (dueMicros === null || job.autoRetrain === null) {
      this.#appointments.delete(job.id)
      return
    }
    const { cron } = job.autoRetrain
    if (before?.cron === cron) return
    this.#appointments.set(job.id, { cron, dueMicros })
    if (dueMicros < this.#wakeMicros) this.#arm(dueMicros)
  }

  remove(jobId: number): void {
    this.#appointments.delete(jobId)
  }

  /** When the job is due, or null; for views and tests. */
  dueMicros(jobId: number): number | null {
    return this.#appointments.get(jobId)?.dueMicros ?? null
  }

  /** Calls back every job that is due now, and waits for the next one. The timer calls this. */
  tick(): void {
    if (this.#closed) return
    const now = this.#clock.nowMicros()
    if (now < this.#tickMicros - SET_BACK_MICROS) this.#lookAnew([...this.#appointments], now)
    this.#tickMicros = now
    const due = [...this.#appointments].filter(([, appointment]) => appointment.dueMicros <= now)
    this.#lookAnew(due, now)
    let earliest = Infinity
    for (const { dueMicros } of this.#appointments.values()) earliest = Math.min(earliest, dueMicros)
    this.#arm(earliest)
    for (const [jobId] of due) this.#due(jobId)
  }

  #lookAnew(appointments: readonly (readonly [jobId: number, Appointment])[], now: number): void {
    for (const [jobId, { cron }] of appointments) {
      const next = nextTimeMicros(cron, now)
      if (next === null) this.#appointments.delete(jobId)
      else this.#appointments.set(jobId, { cron, dueMicros: next })
    }
  }

  close(): void {
    this.#closed = true
    this.#appointments.clear()
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
