/**
 * A bound on memory over all connections: for bodies that have partly arrived, and for large answers that clients have
 * not read (large-answer.ts).
 *
 * Each body has its own bound, but clients may open many connections. A body that arrives in one piece holds nothing,
 * so small bodies are accepted no matter how many large ones arrive.
 */
import { limits } from '../../engine/index.js'

export class HeldBytes {
  readonly #max: number
  #held = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Takes room for bytes. False if there is not enough. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#max) return false
    this.#held += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#held -= bytes
  }
}

/** Bodies of callers with a known key. */
export const heldBodies = new HeldBytes(limits.heldBodiesBytesMax)

/** Bodies of token requests. Their senders are not known yet and must not use the room of others. */
export const heldByStrangers = new HeldBytes(limits.heldByStrangersBytesMax)
