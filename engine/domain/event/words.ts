/**
 * Words: the texts that events keep repeating, written once and named by two bytes from then on.
 *
 * Owns: which texts become words. Leaves out: finding a text by its bytes (byte-table.ts), where words are kept (store/).
 *
 * 1. Words are only ever added; a number means the same text for ever.
 * 2. A text becomes a word when it is seen for the fourth time within a while. Texts that never come again (ids, times)
 *    only pass through a small table of counters, in which newer ones push out older ones.
 * 3. A full table takes no more words; texts are then written out.
 */
import { WORD_BYTES_MAX, WORDS_MAX } from './body-format.js'
import { ABSENT, ByteTable } from './byte-table.js'

const SIGHTS_NEEDED = 4
/** Counters of texts that are no words yet; a power of two. */
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

  /** A word's bytes; a view. @throws Error where there is no such word. */
  bytes(word: number): Uint8Array {
    return this.#table.bytes(word)
  }

  /** The word of these bytes, or -1; one that has been seen often enough becomes a word now. At most WORD_BYTES_MAX bytes. */
  see(source: DataView, start: number, end: number, hash: number): number {
    const word = this.#table.find(source, start, end, hash)
    if (word >= 0) return word
    return word === ABSENT && this.#count(hash) ? this.add(source, start, end, hash) : -1
  }

  /** Adds a word; -1 where there is no room. The text is none yet. */
  add(source: DataView, start: number, end: number, hash: number): number {
    return this.size >= WORDS_MAX || end - start > WORD_BYTES_MAX ? -1 : this.#table.add(source, start, end, hash)
  }

  /** True where the text has now been seen often enough. */
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
