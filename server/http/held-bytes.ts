/**
 * A bound over all connections: what all bodies together hold of which a part has come, and what large answers hold that are
 * not read (large-answer.ts).
 *
 * Each has a bound of its own, and clients may have as many under way as they open connections. A body that comes in one
 * piece holds nothing, so small ones are taken in however many large ones are on their way.
 */
import { limits } from '../../engine/index.js'

export class HeldBytes {
  readonly #max: number
  #held = 0

  constructor(max: number) {
    this.#max = max
  }

  /** False where there is no room for them. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#max) return false
    this.#held += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#held -= bytes
  }
}

/** Of those whose key is known. */
export const heldBodies = new HeldBytes(limits.heldBodiesBytesMax)

/** Of those who ask for a token: nobody is known yet, and must not take the others' room. */
export const heldByStrangers = new HeldBytes(limits.heldByStrangersBytesMax)
