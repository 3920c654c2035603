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
  /** One number, which other threads may share. */
  #held: Int32Array

  /**
   * These bytes count `within` others too. `onLess` is called after bytes were given back. `held` counts them: in
   * shared memory the bound is one over several threads.
   */
  constructor(max: number, within: HeldBytes | null = null, onLess?: () => void, held: Int32Array = new Int32Array(1)) {
    this.#max = max
    this.#within = within
    this.#onLess = onLess
    this.#held = held
  }

  get held(): number {
    return Atomics.load(this.#held, 0)
  }

  /** Counts in this number from now on. Only while nothing is held. */
  countIn(held: Int32Array): void {
    this.#held = held
  }

  /** Takes room for bytes. False if there is not enough. */
  take(bytes: number): boolean {
    if (Atomics.add(this.#held, 0, bytes) + bytes <= this.#max && this.#within?.take(bytes) !== false) return true
    Atomics.sub(this.#held, 0, bytes)
    return false
  }

  giveBack(bytes: number): void {
    Atomics.sub(this.#held, 0, bytes)
    this.#within?.giveBack(bytes)
    this.#onLess?.()
  }
}

/** Bodies of callers with a known key. */
export const heldBodies = new HeldBytes(limits.heldBodiesBytesMax)

/** Bodies of token requests. Their senders are not known yet and must not use the room of others. */
export const heldByStrangers = new HeldBytes(limits.heldByStrangersBytesMax)
