/**
 * Gathers pieces of bytes in one growing buffer.
 *
 * The cost is at most twice the bytes. A list would cost a hundred bytes for each piece, so a client that sends single
 * bytes could fill the memory.
 */
import { heldBodies, type HeldBytes } from './held-bytes.js'

const FIRST_BYTES = 4096

const nothing = Buffer.alloc(0)

export class Gatherer {
  readonly #room: HeldBytes
  #bytes: Buffer = nothing
  #length = 0

  /** `room` counts the bytes of the buffer. */
  constructor(room: HeldBytes = heldBodies) {
    this.#room = room
  }

  get length(): number {
    return this.#length
  }

  /** Copies a piece. False if there is no room for it; then nothing has changed. */
  add(piece: Uint8Array): boolean {
    const needed = this.#length + piece.length
    if (needed > this.#bytes.length && !this.#grow(Math.max(needed, this.#bytes.length * 2, FIRST_BYTES))) return false
    this.#bytes.set(piece, this.#length)
    this.#length = needed
    return true
  }

  /** Returns the gathered bytes and starts empty again. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length)
    this.clear()
    return taken
  }

  clear(): void {
    this.#room.giveBack(this.#bytes.length)
    this.#bytes = nothing
    this.#length = 0
  }

  #grow(size: number): boolean {
    if (!this.#room.take(size - this.#bytes.length)) return false
    const grown = Buffer.allocUnsafe(size)
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
    return true
  }
}
