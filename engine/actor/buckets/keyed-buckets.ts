/** Buckets by the bytes at the decision points, as the scanner finds them. Several of these keys may lead to one. */
import { ABSENT, ByteTable } from '../../domain/event/byte-table.js'
import type { PointKey } from '../../domain/event/point-tree.js'
import type { Bucket } from './bucket.js'

/** About what a key takes without its bytes. */
const KEY_BYTES = 40

export class KeyedBuckets {
  readonly #keys = new ByteTable()
  readonly #buckets: Bucket[] = []

  /** About the bytes of all keys. */
  get bytes(): number {
    return this.#keys.bytesUsed + KEY_BYTES * this.#keys.size
  }

  find({ view, length, hash }: PointKey): Bucket | undefined {
    const at = this.#keys.find(view, 0, length, hash)
    return at < 0 ? undefined : this.#buckets[at]
  }

  /** Returns how many bytes more this takes. A key among too many of the same hash is not added. */
  set({ view, length, hash }: PointKey, bucket: Bucket): number {
    const known = this.#keys.find(view, 0, length, hash)
    if (known >= 0) this.#buckets[known] = bucket
    if (known !== ABSENT) return 0
    this.#buckets[this.#keys.add(view, 0, length, hash)] = bucket
    return length + KEY_BYTES
  }
}
