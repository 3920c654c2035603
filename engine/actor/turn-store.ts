/**
 * What a turn reads and writes: the store as it will be once the turn is committed.
 *
 * Owns: the batch of the turn, and reads that see it. Leaves out: the commit (shard.ts).
 *
 * 1. A read sees what the same turn wrote before it.
 * 2. Writes are only looked through when something is read, so that turns that only write pay nothing for it.
 */
import { WriteBatch, type Entry, type Environment, type KeyRange } from '../store/environment.js'
import type { ShardTable } from '../store/tables.js'

function overlayKey(table: string, key: Uint8Array): string {
  return `${table}/${Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')}`
}

export class TurnStore {
  readonly batch = new WriteBatch()
  readonly #environment: Environment
  readonly #overlay = new Map<string, Uint8Array | undefined>()
  #overlaid = 0

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** A new turn begins: nothing is written, and reads see the latest commit. */
  begin(): void {
    this.batch.clear()
    this.#overlay.clear()
    this.#overlaid = 0
    this.#environment.refresh()
  }

  put(table: ShardTable, key: Uint8Array, value: Uint8Array): void {
    this.batch.put(table, key, value)
  }

  delete(table: ShardTable, key: Uint8Array): void {
    this.batch.delete(table, key)
  }

  get(table: ShardTable, key: Uint8Array): Uint8Array | undefined {
    const { tables, keys, values, size } = this.batch
    for (; this.#overlaid < size; this.#overlaid++) {
      const written = overlayKey(tables[this.#overlaid] as string, keys[this.#overlaid] as Uint8Array)
      this.#overlay.set(written, values[this.#overlaid])
    }
    if (this.#overlay.size > 0) {
      const wanted = overlayKey(table, key)
      if (this.#overlay.has(wanted)) return this.#overlay.get(wanted)
    }
    return this.#environment.get(table, key)
  }

  /** Committed entries only: for walks that a turn does before it writes to the same table. */
  range(table: ShardTable, range: KeyRange): Iterable<Entry> {
    return this.#environment.range(table, range)
  }
}
