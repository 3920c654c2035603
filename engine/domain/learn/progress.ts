/** How far a training is: turns the work of its stages into one number that only grows, and stops it when told to. */
import { TrainingCancelled, type TrainingProgress } from './classifier.js'

/** A part of a training's progress, from 0 to 1 of its own. */
export interface Stage {
  /**
   * Says that this share of the stage is done, 0 to 1.
   * @throws TrainingCancelled when the training should stop.
   */
  at(share: number): void
}

/** The progress of one training. */
export class ProgressReport {
  readonly #report: TrainingProgress
  #last = -1

  constructor(report: TrainingProgress) {
    this.#report = report
  }

  /** The stage that takes the training from `from` to `to`; `what` is for people. */
  stage(from: number, to: number, what: string): Stage {
    return { at: (share) => this.#at(from + (to - from) * Math.min(1, Math.max(0, share)), what) }
  }

  /** Asks on every call whether to go on, also where the number has not grown: that keeps a stop prompt. */
  #at(done: number, what: string): void {
    this.#last = Math.max(this.#last, done)
    if (!this.#report(this.#last, what)) throw new TrainingCancelled('the training was cancelled')
  }
}

/** A part of a stage, as a stage. */
export function part(stage: Stage, from: number, to: number): Stage {
  return { at: (share) => stage.at(from + (to - from) * share) }
}
