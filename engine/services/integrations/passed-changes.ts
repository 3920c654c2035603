/**
 * Which changes of decisions every step of a job has delivered, so that their rows can be deleted.
 *
 * Owns: the least place of a job's steps, and what was reported last. Leaves out: the places
 * (integration/delivery/ledger.ts), deleting the rows (actor/decision-changes.ts).
 *
 * 1. Only places on disk count. A crash undoes what a step has passed since, with the dead letters of that time.
 * 2. Every step of a pipeline counts, also one that does not run because it is being opened again.
 * 3. Rows are kept for a while after they are delivered, so every place is reported again now and then.
 */
import { NO_JOB, stepKey, type Ledger, type StepId } from '../../integration/delivery/ledger.js'

/** A change that every step has delivered, as it has all changes before it. */
export interface PassedChange {
  readonly jobId: number
  readonly changeMicros: number
  readonly eventMicros: number
}

/** A report every two seconds, so ten minutes. */
const REPORTS_UNTIL_AGAIN = 300

export class PassedChanges {
  readonly #ledger: Ledger
  readonly #reported = new Map<number, string>()
  #reports = 0

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** What is new since the last report. `wired`: the known steps of all pipelines. One that never ran has place 0. */
  next(wired: Iterable<StepId>): PassedChange[] {
    if (!this.#ledger.flush()) return []
    if (++this.#reports % REPORTS_UNTIL_AGAIN === 0) this.#reported.clear()
    const steps = new Map([...this.#ledger.steps(), ...wired].map((step) => [stepKey(step).toString('hex'), step]))
    const least = new Map<number, PassedChange>()
    for (const step of steps.values()) {
      if (step.role === 'input' || step.jobId === NO_JOB) continue
      const { change: changeMicros, changeEvent: eventMicros } = this.#ledger.place(step) ?? {
        change: 0,
        changeEvent: 0,
      }
      const known = least.get(step.jobId)
      const isLess =
        known === undefined ||
        changeMicros < known.changeMicros ||
        (changeMicros === known.changeMicros && eventMicros < known.eventMicros)
      if (isLess) least.set(step.jobId, { jobId: step.jobId, changeMicros, eventMicros })
    }
    return [...least.values()].filter((passed) => this.#isNew(passed))
  }

  #isNew({ jobId, changeMicros, eventMicros }: PassedChange): boolean {
    const name = `${changeMicros} ${eventMicros}`
    if (this.#reported.get(jobId) === name) return false
    this.#reported.set(jobId, name)
    return true
  }
}
