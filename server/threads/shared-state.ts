/**
 * Numbers that the threads of HTTP share, so that a bound is one over all of them. They count bytes of bodies, bytes of
 * large answers, and what each caller has (shared-callers.ts).
 *
 * Owns: where each number is. Leaves out: the bounds.
 *
 * 1. The main thread gives each caller a place (`placeOf`) and tells the other threads. Where there are more callers
 *    than places, some share one: then they share its bounds as well.
 */
import { heldBodies, heldForReaders } from '../http/held-bytes.js'
import type { SharedCallers } from '../routes/bulk/shared-callers.js'

const PLACES = 16_384
/** Numbers of a caller: streams, bytes, and a time of two words. */
const PLACE = 4
const [BODIES, ANSWERS, STREAMED, OWNERS, DEBUG, CONNECTIONS, FIRST] = [0, 1, 2, 3, 4, 5, 8]

export class SharedState implements SharedCallers {
  readonly memory: SharedArrayBuffer
  readonly owners: Int32Array
  readonly held: Int32Array
  /** As OpenConnections has them. */
  readonly connections: Int32Array
  readonly #words: Int32Array
  readonly #places = new Map<string, number>()
  readonly #streams = new Map<string, Int32Array>()
  readonly #rates = new Map<string, BigInt64Array>()
  readonly #heldBy = new Map<string, Int32Array>()

  constructor(
    memory: SharedArrayBuffer = new SharedArrayBuffer((FIRST + PLACE * PLACES) * Int32Array.BYTES_PER_ELEMENT),
  ) {
    this.memory = memory
    this.#words = new Int32Array(memory)
    this.owners = this.#at(OWNERS)
    this.held = this.#at(STREAMED)
    this.connections = this.#words.subarray(CONNECTIONS, CONNECTIONS + 2)
  }

  /** This thread counts here what it holds. Only before it serves anything. */
  countHere(): void {
    heldBodies.countIn(this.#at(BODIES))
    heldForReaders.countIn(this.#at(ANSWERS))
  }

  /** Requests are logged at the level `debug`. */
  get debug(): boolean {
    return Atomics.load(this.#words, DEBUG) === 1
  }

  set debug(is: boolean) {
    Atomics.store(this.#words, DEBUG, is ? 1 : 0)
  }

  /** The caller's place (1). Only on the main thread. */
  placeOf(owner: string): number {
    let place = this.#places.get(owner)
    if (place === undefined) this.#places.set(owner, (place = this.#places.size % PLACES))
    return place
  }

  /** What the main thread says of a caller's place. */
  put(owner: string, place: number): void {
    this.#places.set(owner, place)
  }

  streamsOf(owner: string): Int32Array {
    let words = this.#streams.get(owner)
    if (words === undefined) this.#streams.set(owner, (words = this.#at(FIRST + PLACE * this.placeOf(owner))))
    return words
  }

  heldOf(owner: string): Int32Array {
    let words = this.#heldBy.get(owner)
    if (words === undefined) this.#heldBy.set(owner, (words = this.#at(FIRST + PLACE * this.placeOf(owner) + 1)))
    return words
  }

  /** The time to which the caller has used its rate (shared-rate.ts). */
  rateOf(owner: string): BigInt64Array {
    let time = this.#rates.get(owner)
    if (time === undefined) {
      const at = (FIRST + PLACE * this.placeOf(owner) + 2) * Int32Array.BYTES_PER_ELEMENT
      this.#rates.set(owner, (time = new BigInt64Array(this.memory, at, 1)))
    }
    return time
  }

  #at(index: number): Int32Array {
    return this.#words.subarray(index, index + 1)
  }
}
