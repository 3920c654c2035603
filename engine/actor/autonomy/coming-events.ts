/**
 * The messages of the turn that are still to be applied, for work that is cheaper for several events together.
 *
 * 1. What is learned here is a guess about the future: it may save time, and changes nothing.
 */
import { ingestTimes } from '../message.js'

export class ComingEvents {
  #memory: Buffer | null = null
  #at = 0
  #count = 0

  /** `count` messages, the first at `at`, are still to come. Valid during their turn. */
  set(memory: Buffer, at: number, count: number): void {
    this.#memory = memory
    this.#at = at
    this.#count = count
  }

  /** Times of the next new events of the job that have no id in their message, `most` at most. */
  timesOf(jobId: number, most: number): number[] {
    return this.#memory === null ? [] : ingestTimes(this.#memory, { at: this.#at, count: this.#count }, jobId, most)
  }
}
