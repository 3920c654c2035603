/**
 * The contract of a store: tables of ordered byte keys, written in whole transactions.
 *
 * Owns: the words between whoever keeps state and LMDB (lmdb.ts) or memory (memory-store.ts, the oracle of the tests).
 * Leaves out: what the keys and values mean (tables.ts, rows.ts).
 *
 * 1. `commit` is all or nothing, and durable (flushed) when it returns (D1).
 * 2. A commit that failed has changed nothing; the next one may succeed.
 * 3. An environment is written by one thread and read by any (D2).
 * 4. `refresh` moves reads to the latest commit.
 * 5. A key is not empty, and not the single byte 0, which LMDB's library takes for no key.
 * The contract suite test/contracts/environment.ts holds both implementations to this.
 */

import type { WriteBatch } from './write-batch.js'

export { WriteBatch } from './write-batch.js'

/** Which keys of a table: from `from` (included) to `to` (excluded), in byte order. */
export interface KeyRange {
  readonly from?: Uint8Array
  readonly to?: Uint8Array
  readonly limit?: number
  /** Starts at the end; `from` and `to` keep their meaning. */
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
   * The first bytes of the value, written into `into`, as many as fit there; returns how many the value has, or -1 where
   * there is none. For reads by the thousand: no memory is taken.
   */
  read(table: string, key: Uint8Array, into: Uint8Array): number
  /** Entries in key order. Stays on one snapshot while it is walked. */
  range(table: string, range: KeyRange): Iterable<Entry>
  /**
   * The same for long walks: each entry is shown until `visit` returns, and lies in memory that the next one is put into.
   * False ends the walk.
   */
  scan(table: string, range: KeyRange, visit: (key: Uint8Array, value: Uint8Array) => boolean): void
  /** How many keys from `from` (included) to `to` (excluded) there are; no value is read. */
  count(table: string, range: Pick<KeyRange, 'from' | 'to'>): number
  /**
   * Writes all or nothing, flushed when it returns.
   * @throws Refusal `store_full` where the disk or the map is full, `store_failed` for any other failure of the store.
   */
  commit(batch: WriteBatch): void
  /** Moves reads to the latest commit. */
  refresh(): void
  /**
   * Gives back the memory that reads have mapped, as far as nobody else in the process has the environment open; the next
   * call maps anew. False, and nothing done, while a range is being walked.
   */
  unmap(): boolean
  /** Maps at once what was given back. The next call would, too, and wait for a commit that is under way. */
  map(): void
  /** Bytes in use on disk. */
  sizeBytes(): number
  close(): Promise<void>
}
