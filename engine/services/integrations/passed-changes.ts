/**
 * Which changes of decisions every step of a job has told, so that their rows may go (decision-changes.ts).
 *
 * Owns: the least place of a job's steps, and what was said of it last. Leaves out: the places (delivery/ledger.ts), deleting.
 *
 * 1. Only places that are on disk count: what a step passed since, and the letters that it left, a crash takes back.
 * 2. Each step counts that there is, also one that is being opened anew and does not run just now.
 */
import { NO_JOB, stepKey, type Ledger, type StepId } from '../../integration/delivery/ledger.js'

/** Up to a change, included, and all before it. */
export interface PassedChange {
  readonly jobId: number
  readonly changeMicros: number
  readonly eventMicros: number
}

export class PassedChanges {
  readonly #ledger: Ledger
  readonly #said = new Map<number, string>()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** What has not been said yet. `wired`: the steps of all pipelines, as far as they are known; one that never ran has told nothing. */
  next(wired: Iterable<StepId>): PassedChange[] {
    if (!this.#ledger.flush()) return []
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
    if (this.#said.get(jobId) === name) return false
    this.#said.set(jobId, name)
    return true
  }
}
