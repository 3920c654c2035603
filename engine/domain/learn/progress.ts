/** The progress of a training: one number that only grows, from the progress of its stages. Also stops the training. */
import { TrainingCancelled, type TrainingProgress } from './classifier.js'

/** A stage of a training, with a progress of its own from 0 to 1. */
export interface Stage {
  /**
   * Reports the share of the stage that is done, 0 to 1.
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

  /** The stage from `from` to `to` of the training; `what` is for display. */
  stage(from: number, to: number, what: string): Stage {
    return { at: (share) => this.#at(from + (to - from) * Math.min(1, Math.max(0, share)), what) }
  }

  /** Reports on every call, even where the number has not grown, so that a stop is prompt. */
  #at(done: number, what: string): void {
    this.#last = Math.max(this.#last, done)
    if (!this.#report(this.#last, what)) throw new TrainingCancelled('the training was cancelled')
  }
}

/** A part of a stage, as a stage. */
export function part(stage: Stage, from: number, to: number): Stage {
  return { at: (share) => stage.at(from + (to - from) * share) }
}
