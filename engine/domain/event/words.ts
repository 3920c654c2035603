/**
 * Words: texts that events keep repeating. Each is stored once, and then named by two bytes.
 *
 * Owns: which texts become words. Leaves out: finding a text by its bytes (byte-table.ts), storing words
 * (body-codec.ts).
 *
 * 1. Words are never changed or deleted: a number always means the same text.
 * 2. A text becomes a word when it is seen for the fourth time within a while. Until then it has a counter in a small
 *    table, in which newer texts replace older ones. So texts that never return (ids, times) cost nothing lasting.
 * 3. When the table of words is full, other texts are written in place.
 */
import { WORD_BYTES_MAX, WORDS_MAX } from './body-format.js'
import { ABSENT, ByteTable } from './byte-table.js'

const SIGHTS_NEEDED = 4
/** Number of counters for texts that are not words yet; a power of two. */
const SIGHT_SLOTS = 1 << 15

export class Words {
  readonly #table = new ByteTable()
  readonly #texts: string[] = []
  readonly #sightHashes = new Int32Array(SIGHT_SLOTS)
  readonly #sightCounts = new Uint8Array(SIGHT_SLOTS)

  /** How many words there are; numbers run from 0 to size - 1. */
  get size(): number {
    return this.#table.size
  }

  /** A word as text. */
  text(word: number): string {
    const known = this.#texts[word]
    if (known !== undefined) return known
    return (this.#texts[word] = Buffer.from(this.bytes(word)).toString('utf8'))
  }

  /** A view of a word's bytes. @throws Error if there is no such word. */
  bytes(word: number): Uint8Array {
    return this.#table.bytes(word)
  }

  /**
   * The word of these bytes (WORD_BYTES_MAX at most), or -1. A text that has been seen often enough becomes a word now.
   */
  see(source: DataView, start: number, end: number, hash: number): number {
    const word = this.#table.find(source, start, end, hash)
    if (word >= 0) return word
    return word === ABSENT && this.#count(hash) ? this.add(source, start, end, hash) : -1
  }

  /** Adds a text that is not a word yet. Returns its number, or -1 if there is no room. */
  add(source: DataView, start: number, end: number, hash: number): number {
    return this.size >= WORDS_MAX || end - start > WORD_BYTES_MAX ? -1 : this.#table.add(source, start, end, hash)
  }

  /** Counts a text. True if it has now been seen often enough. */
  #count(hash: number): boolean {
    const slot = (hash ^ (hash >>> 15)) & (SIGHT_SLOTS - 1)
    if (this.#sightHashes[slot] !== hash) {
      this.#sightHashes[slot] = hash
      this.#sightCounts[slot] = 1
      return false
    }
    const count = (this.#sightCounts[slot] as number) + 1
    this.#sightCounts[slot] = count
    return count >= SIGHTS_NEEDED
  }
}
