/**
 * Which ids `bucket_ids` may have: a Bloom filter in memory, so that an id that is new is not sought in the store.
 *
 * Owns: the filter, and how it is filled. Leaves out: the index (bucket-index.ts).
 *
 * 1. It never denies an id that is committed: `add` is called before that, and until all that was committed before has
 *    been read, nothing is denied. An id that was deleted, or any other, may be affirmed.
 * 2. It is filled in the order of keys, a part with each turn that makes buckets, so that no turn waits for all of it.
 *    What is entered meanwhile is added, wherever its key lies.
 * 3. When it has more ids than it is made for, it is made larger and filled anew.
 */
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import { JOB_BYTES, jobOfKey } from '../../store/tables.js'
import type { TurnStore } from '../turn-store.js'

/** Bits for each id: with four of them set, three ids in a thousand are affirmed by mistake. */
const BITS_PER_ID = 16
const FIRST_BITS = 1 << 14
const GROWTH = 4
const WORD_BYTES = 4
/** Spreads the numbers of jobs. */
const jobFactor = 0x9e3779b1

export class IndexedIds {
  #words = new Int32Array(0)
  /** Takes the place of a bit from a word of an id. */
  #shift = 0
  #count = 0
  /** All committed entries have been read. */
  #isWhole = false
  /** Where to read next; null: from the beginning. */
  #next: Uint8Array | null = null

  /** False: the index does not have this id. */
  mayHave(jobId: number, id: Uint8Array): boolean {
    if (!this.#isWhole) return true
    for (let at = 0; at < BUCKET_ID_BYTES; at += WORD_BYTES) {
      const bit = this.#bitOf(jobId, id, at)
      if (((this.#words[bit >>> 5] as number) & (1 << (bit & 31))) === 0) return false
    }
    return true
  }

  /** The id is being entered. */
  add(jobId: number, id: Uint8Array): void {
    this.#count++
    if (this.#words.length === 0) return
    for (let at = 0; at < BUCKET_ID_BYTES; at += WORD_BYTES) {
      const bit = this.#bitOf(jobId, id, at)
      this.#words[bit >>> 5] = (this.#words[bit >>> 5] as number) | (1 << (bit & 31))
    }
  }

  /** Reads up to `most` committed entries, where some have not been read. */
  read(store: Pick<TurnStore, 'range'>, most: number): void {
    if (this.#words.length === 0) this.#begin(FIRST_BITS)
    else if (this.#count * BITS_PER_ID > this.#words.length * 32) this.#begin(this.#words.length * 32 * GROWTH)
    if (this.#isWhole) return
    let read = 0
    const from = this.#next
    for (const { key } of store.range('bucket_ids', { ...(from === null ? {} : { from }), limit: most })) {
      this.add(jobOfKey(key), key.subarray(JOB_BYTES))
      // The least key behind this one.
      if (++read === most) this.#next = Buffer.concat([key, Buffer.of(0)])
    }
    this.#isWhole = read < most
  }

  /** What the index has is not known any more. */
  forget(): void {
    this.#words = new Int32Array(0)
    this.#isWhole = false
  }

  #begin(bits: number): void {
    this.#words = new Int32Array(bits / 32)
    this.#shift = 32 - Math.log2(bits)
    this.#count = 0
    this.#isWhole = false
    this.#next = null
  }

  /** An id is a hash, so each of its words says where one bit is. */
  #bitOf(jobId: number, id: Uint8Array, at: number): number {
    const word =
      ((id[at] as number) << 24) |
      ((id[at + 1] as number) << 16) |
      ((id[at + 2] as number) << 8) |
      (id[at + 3] as number)
    return (word ^ Math.imul(jobId, jobFactor)) >>> this.#shift
  }
}
