/**
 * Bytes that come in pieces, in one growing buffer.
 *
 * A list of pieces would cost a hundred bytes for each, so that a client which sends single bytes could fill the memory
 * with a small body; here the cost is at most twice the bytes.
 */
const FIRST_BYTES = 4096

const nothing = Buffer.alloc(0)

export class Gatherer {
  #bytes: Buffer = nothing
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Copies a piece. */
  add(piece: Uint8Array): void {
    const needed = this.#length + piece.length
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2, FIRST_BYTES))
      this.#bytes.copy(grown, 0, 0, this.#length)
      this.#bytes = grown
    }
    this.#bytes.set(piece, this.#length)
    this.#length = needed
  }

  /** Hands over what was added, and begins anew. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length)
    this.clear()
    return taken
  }

  clear(): void {
    this.#bytes = nothing
    this.#length = 0
  }
}
