/**
 * Memory for the entries of a long walk, which are shown one after the other.
 *
 * Owns: copying an entry without an allocation. Leaves out: the walk (lmdb.ts).
 *
 * 1. There is one view for each length: a walk has millions of entries and few lengths.
 * 2. An entry is valid until the next one is shown.
 */

/** Longer entries are copied to memory of their own. */
const BYTES = 16 * 1024
const WORD = 4

export class ScanMemory {
  readonly #words = new Uint32Array(BYTES / WORD)
  readonly #bytes = Buffer.from(this.#words.buffer)
  readonly #views: Buffer[] = []
  /** The latest source as words. The library reads everything into one piece of memory. */
  #source: Uint32Array | null = null

  /** A copy of `length` bytes of `from`, valid until the next call. */
  show(from: Uint8Array, start: number, length: number): Buffer {
    if (length > BYTES) return Buffer.from(from.subarray(start, start + length))
    const words = this.#wordsOf(from)
    if (words === null || start % WORD !== 0) {
      this.#bytes.set(from.subarray(start, start + length))
    } else {
      const first = start / WORD
      // Copying past the entry's end does no harm: the view ends where the entry does.
      const count = Math.min((length + WORD - 1) >> 2, words.length - first)
      for (let i = 0; i < count; i++) this.#words[i] = words[first + i] as number
      for (let i = count * WORD; i < length; i++) this.#bytes[i] = from[start + i] as number
    }
    return (this.#views[length] ??= this.#bytes.subarray(0, length))
  }

  /** The memory as words; null if it does not begin at a word. */
  #wordsOf({ buffer, byteOffset }: Uint8Array): Uint32Array | null {
    if (this.#source?.buffer === buffer && this.#source.byteOffset === byteOffset) return this.#source
    if (byteOffset % WORD !== 0) return null
    return (this.#source = new Uint32Array(buffer, byteOffset, (buffer.byteLength - byteOffset) >> 2))
  }
}
