/**
 * The contract of a store: tables of ordered byte keys, written in transactions.
 *
 * Owns: the interface that LMDB (lmdb.ts) and memory (memory-store.ts, the oracle of the tests) implement. Leaves out:
 * what keys and values mean (tables.ts, rows.ts).
 *
 * 1. `commit` is all or nothing, and durable (flushed) when it returns (D1).
 * 2. A failed commit has changed nothing; the next one may succeed.
 * 3. An environment is written by one thread and read by any (D2).
 * 4. `refresh` moves reads to the latest commit.
 * 5. A key is not empty, and not the single byte 0, which LMDB's library takes for no key.
 *
 * The suite test/contracts/environment.ts checks both implementations.
 */
import type { WriteBatch } from './write-batch.js'

export { WriteBatch } from './write-batch.js'

/** Keys of a table from `from` (included) to `to` (excluded), in byte order. */
export interface KeyRange {
  readonly from?: Uint8Array
  readonly to?: Uint8Array
  readonly limit?: number
  /** Starts at the end. `from` and `to` keep their meaning. */
  readonly reverse?: boolean
}

export interface Entry {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

export interface Environment {
  /** The value, or undefined. The bytes are the caller's to keep. */
  get(table: string, key: Uint8Array): Uint8Array | undefined
  /**
   * Copies as much of the value as fits into `into`. Returns the length of the whole value, or -1 if there is none.
   * Allocates nothing.
   */
  read(table: string, key: Uint8Array, into: Uint8Array): number
  /** Entries in key order, from one snapshot. */
  range(table: string, range: KeyRange): Iterable<Entry>
  /**
   * The same for long walks. Key and value are valid until `visit` returns: the next entry overwrites them. False ends
   * the walk.
   */
  scan(table: string, range: KeyRange, visit: (key: Uint8Array, value: Uint8Array) => boolean): void
  /** Number of keys from `from` (included) to `to` (excluded). Reads no value. */
  count(table: string, range: Pick<KeyRange, 'from' | 'to'>): number
  /**
   * Writes all or nothing, flushed when it returns.
   * @throws Refusal `store_full` if the disk or the map is full, `store_failed` for any other failure of the store.
   */
  commit(batch: WriteBatch): void
  /** Moves reads to the latest commit. */
  refresh(): void
  /**
   * Releases the memory that reads have mapped, unless something else in the process has the environment open. The next
   * call maps it again. Does nothing and returns false while a range is being walked.
   */
  unmap(): boolean
  /** Maps what `unmap` released. The next call would do it, too, but might have to wait for a running commit. */
  map(): void
  /** Bytes in use on disk. */
  sizeBytes(): number
  close(): Promise<void>
}
