/**
 * Bounds on memory over all connections: for bodies that have partly arrived, and for all that waits to be read: large
 * answers (large-answer.ts), pages of files, and large bodies that wait for a thread.
 *
 * Each body has its own bound, but clients may open many connections. A body that arrives in one piece holds nothing,
 * so small bodies are accepted no matter how many large ones arrive.
 */
import { limits, Refusal } from '../../engine/index.js'

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

/** All that waits to be read, by clients or by threads. */
export const heldForReaders = new HeldBytes(limits.heldForReadersBytesMax)

/** The refusal of what finds no room to wait. */
export function noRoomToWait(): Refusal {
  return new Refusal('answers_busy', 'too many large answers and bodies are waiting to be read')
}

/** Does `work`, which keeps so many bytes until it is over. Rejects with answers_busy if there is no room for them. */
export async function whileHeld<T>(
  bytes: number,
  work: () => Promise<T>,
  room: HeldBytes = heldForReaders,
): Promise<T> {
  if (bytes < limits.largeAnswerBytesMin) return work()
  if (!room.take(bytes)) throw noRoomToWait()
  try {
    return await work()
  } finally {
    room.giveBack(bytes)
  }
}
