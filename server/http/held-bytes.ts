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
  readonly #within: HeldBytes | null
  readonly #onLess: (() => void) | undefined
  #held = 0

  /** These bytes count `within` others too. `onLess` is called after bytes were given back. */
  constructor(max: number, within: HeldBytes | null = null, onLess?: () => void) {
    this.#max = max
    this.#within = within
    this.#onLess = onLess
  }

  get held(): number {
    return this.#held
  }

  /** Takes room for bytes. False if there is not enough. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#max || this.#within?.take(bytes) === false) return false
    this.#held += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#held -= bytes
    this.#within?.giveBack(bytes)
    this.#onLess?.()
  }
}

/** Bodies of callers with a known key. */
export const heldBodies = new HeldBytes(limits.heldBodiesBytesMax)

/** Bodies of token requests. Their senders are not known yet and must not use the room of others. */
export const heldByStrangers = new HeldBytes(limits.heldByStrangersBytesMax)
