/**
 * Buckets by the bytes at the decision points, as the scanner finds them. Several of these keys may lead to one.
 *
 * 1. All jobs of a thread share one table. Tables of their own would be thousands of small pieces of memory where there
 *    are many jobs, and the allocator of the system does not give such pieces back.
 * 2. A key begins with its job (point-tree.ts), so it leads to no bucket of another one.
 * 3. Keys are forgotten all at once: whenever a bucket goes, since a key would keep it in memory. An event finds its
 *    bucket by the id then, and the key is there again.
 */
import { ABSENT, ByteTable } from '../../domain/event/byte-table.js'
import type { PointKey } from '../../domain/event/point-tree.js'
import type { Bucket } from './bucket.js'

/** About what a key takes without its bytes. */
const KEY_BYTES = 40

export class KeyedBuckets {
  #keys = new ByteTable()
  #buckets: Bucket[] = []

  /** About the bytes of all keys. */
  get bytes(): number {
    return this.#keys.bytesUsed + KEY_BYTES * this.#keys.size
  }

  find({ view, length, hash }: PointKey): Bucket | undefined {
    const at = this.#keys.find(view, 0, length, hash)
    return at < 0 ? undefined : this.#buckets[at]
  }

  /** A key among too many of the same hash is not added. */
  set({ view, length, hash }: PointKey, bucket: Bucket): void {
    const known = this.#keys.find(view, 0, length, hash)
    if (known >= 0) this.#buckets[known] = bucket
    if (known === ABSENT) this.#buckets[this.#keys.add(view, 0, length, hash)] = bucket
  }

  /** Forgets all keys. */
  clear(): void {
    if (this.#keys.size === 0) return
    this.#keys = new ByteTable()
    this.#buckets = []
  }
}
