/**
 * Words: the texts that events keep repeating, written once and named by two bytes from then on.
 *
 * Owns: finding a text by its bytes, and which texts become words. Leaves out: where words are kept (store/).
 *
 * 1. Words are only ever added; a number means the same text for ever.
 * 2. A text becomes a word when it is seen for the fourth time within a while. Texts that never come again (ids, times)
 *    only pass through a small table of counters, in which newer ones push out older ones.
 * 3. A full table takes no more words; texts are then written out.
 *
 * Hash: FNV-1a, 32 bits (Fowler, Noll, Vo). It only finds candidates: bytes are compared, and a chain that somebody
 * made long on purpose is given up after a few steps.
 */
import { WORD_BYTES_MAX, WORDS_MAX } from './body-format.js'

export const HASH_START = 0x811c9dc5
export const HASH_PRIME = 0x01000193

const SIGHTS_NEEDED = 4
/** Counters of texts that are no words yet; a power of two. */
const SIGHT_SLOTS = 1 << 15
const PROBES_MAX = 16

/** The hash of a piece of bytes. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = HASH_START
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), HASH_PRIME)
  return hash
}

export class Words {
  /** Word numbers plus one, by hash; 0 is free. Open addressing. */
  #slots = new Int32Array(1 << 10)
  #hashes = new Int32Array(1 << 9)
  /** Where each word ends in the arena; it starts where the one before ends. */
  #ends = new Int32Array(1 << 9)
  #arena = new Uint8Array(1 << 13)
  readonly #texts: string[] = []
  readonly #sightHashes = new Int32Array(SIGHT_SLOTS)
  readonly #sightCounts = new Uint8Array(SIGHT_SLOTS)
  #size = 0

  /** How many words there are; numbers run from 0 to size - 1. */
  get size(): number {
    return this.#size
  }

  /** A word as text. */
  text(word: number): string {
    const known = this.#texts[word]
    if (known !== undefined) return known
    return (this.#texts[word] = Buffer.from(this.bytes(word)).toString('utf8'))
  }

  /** A word's bytes; a view. */
  bytes(word: number): Uint8Array {
    if (word >= this.#size) throw new Error(`no word ${word}`)
    return this.#arena.subarray(this.#startOf(word), this.#ends[word])
  }

  /** The word of these bytes, or -1; one that has been seen often enough becomes a word now. At most WORD_BYTES_MAX bytes. */
  see(source: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const entry = this.#slots[slot] as number
      if (entry === 0) return this.#count(hash) ? this.add(source, start, end, hash) : -1
      if (this.#hashes[entry - 1] === hash && this.#equals(entry - 1, source, start, end)) return entry - 1
      slot = (slot + 1) & mask
    }
    return -1
  }

  /** Adds a word; -1 where there is no room. The text is none yet. */
  add(source: Uint8Array, start: number, end: number, hash: number): number {
    const length = end - start
    if (this.#size >= WORDS_MAX || length > WORD_BYTES_MAX) return -1
    this.#makeRoom(length)
    const word = this.#size++
    const from = this.#startOf(word)
    for (let i = 0; i < length; i++) this.#arena[from + i] = source[start + i] as number
    this.#ends[word] = from + length
    this.#hashes[word] = hash
    this.#place(word, hash)
    return word
  }

  #startOf(word: number): number {
    return word === 0 ? 0 : (this.#ends[word - 1] as number)
  }

  #equals(word: number, source: Uint8Array, start: number, end: number): boolean {
    const from = this.#startOf(word)
    if ((this.#ends[word] as number) - from !== end - start) return false
    for (let i = start, j = from; i < end; i++, j++) if (source[i] !== this.#arena[j]) return false
    return true
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

  #makeRoom(bytes: number): void {
    const used = this.#startOf(this.#size)
    if (used + bytes > this.#arena.length) this.#arena = grown(this.#arena, new Uint8Array(this.#arena.length * 2))
    if (this.#size < this.#hashes.length) return
    this.#hashes = grown(this.#hashes, new Int32Array(this.#hashes.length * 2))
    this.#ends = grown(this.#ends, new Int32Array(this.#ends.length * 2))
    this.#slots = new Int32Array(this.#slots.length * 2)
    for (let word = 0; word < this.#size; word++) this.#place(word, this.#hashes[word] as number)
  }

  #place(word: number, hash: number): void {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = word + 1
  }
}

function grown<A extends Uint8Array | Int32Array>(from: A, to: A): A {
  to.set(from)
  return to
}
