/**
 * Memory that the entries of a long walk are shown in, one after the other.
 *
 * Owns: copying an entry without making anything that has to be collected. Leaves out: the walk (lmdb.ts).
 *
 * 1. A view of each length is made once: walks are over millions of entries, of a few lengths.
 * 2. What is shown is there until the next entry is.
 */

/** Longer entries get memory of their own. */
const BYTES = 16 * 1024
const WORD = 4

export class ScanMemory {
  readonly #words = new Uint32Array(BYTES / WORD)
  readonly #bytes = Buffer.from(this.#words.buffer)
  readonly #views: Buffer[] = []
  /** The words of the memory that was copied from last: the library has one, for all it reads. */
  #source: Uint32Array | null = null

  /** `length` bytes of `from`, copied. */
  show(from: Uint8Array, start: number, length: number): Buffer {
    if (length > BYTES) return Buffer.from(from.subarray(start, start + length))
    const words = this.#wordsOf(from)
    if (words === null || start % WORD !== 0) {
      this.#bytes.set(from.subarray(start, start + length))
    } else {
      const first = start / WORD
      // Beyond the end there is nothing that anybody sees: views end where the entry does.
      const count = Math.min((length + WORD - 1) >> 2, words.length - first)
      for (let i = 0; i < count; i++) this.#words[i] = words[first + i] as number
      for (let i = count * WORD; i < length; i++) this.#bytes[i] = from[start + i] as number
    }
    return (this.#views[length] ??= this.#bytes.subarray(0, length))
  }

  /** Null where it does not begin at a word. */
  #wordsOf({ buffer, byteOffset }: Uint8Array): Uint32Array | null {
    if (this.#source?.buffer === buffer && this.#source.byteOffset === byteOffset) return this.#source
    if (byteOffset % WORD !== 0) return null
    return (this.#source = new Uint32Array(buffer, byteOffset, (buffer.byteLength - byteOffset) >> 2))
  }
}

/**
 * What tells the library to leave entries where they are, and to show keys in `keys`: copies of its own for each would
 * cost more than all the rest of a walk.
 */
export function inPlace(keys: ScanMemory) {
  return {
    keyEncoder: {
      writeKey(key: Uint8Array, target: Uint8Array, start: number): number {
        target.set(key, start)
        return start + key.length
      },
      readKey: (source: Uint8Array, start: number, end: number): Buffer => keys.show(source, start, end - start),
    },
    encoder: { encode: (value: Buffer): Buffer => value, decode: (bytes: Buffer): Buffer => bytes },
  }
}
