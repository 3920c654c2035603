/**
 * What a turn reads and writes: the store as it will be once the turn is committed.
 *
 * Owns: the batch of the turn, and reads that see it. Leaves out: the commit (shard.ts).
 *
 * 1. A read sees what the same turn wrote before it.
 * 2. Writes are only looked through when something of their table is read, so that turns that only write pay nothing for it.
 */
import { WriteBatch, type Entry, type Environment, type KeyRange } from '../store/environment.js'
import type { ShardTable } from '../store/tables.js'

/** What the turn wrote to one table, as far as its batch was looked through for it. */
interface Overlay {
  /** Where in the batch a key was written last; keys as Latin-1 texts. */
  readonly places: Map<string, number>
  through: number
}

function textOf(key: Uint8Array): string {
  return (Buffer.isBuffer(key) ? key : Buffer.from(key.buffer, key.byteOffset, key.byteLength)).toString('latin1')
}

export class TurnStore {
  readonly batch = new WriteBatch()
  readonly #environment: Environment
  readonly #overlays = new Map<ShardTable, Overlay>()

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** A new turn begins: nothing is written, and reads see the latest commit. */
  begin(): void {
    this.batch.clear()
    this.#overlays.clear()
    this.#environment.refresh()
  }

  put(table: ShardTable, key: Uint8Array, value: Uint8Array): void {
    this.batch.put(table, key, value)
  }

  /** As put, of so many bytes that the caller writes now, key first; returns where in `batch.memory`. */
  lay(table: ShardTable, keyBytes: number, valueBytes: number): number {
    return this.batch.lay(table, keyBytes, valueBytes)
  }

  delete(table: ShardTable, key: Uint8Array): void {
    this.batch.delete(table, key)
  }

  get(table: ShardTable, key: Uint8Array): Uint8Array | undefined {
    const place = this.#placeOf(table, key)
    return place === undefined ? this.#environment.get(table, key) : this.batch.value(place)?.slice()
  }

  /** As put; where the turn wrote the key before, that is what changes, and the store is written to once. */
  replace(table: ShardTable, key: Uint8Array, value: Uint8Array): void {
    const place = this.#placeOf(table, key)
    if (place === undefined) this.batch.put(table, key, value)
    else this.#overlays.get(table)?.places.set(textOf(key), this.batch.replace(place, value))
  }

  #placeOf(table: ShardTable, key: Uint8Array): number | undefined {
    let overlay = this.#overlays.get(table)
    if (overlay === undefined) {
      overlay = { places: new Map(), through: 0 }
      this.#overlays.set(table, overlay)
    }
    const { tables, size } = this.batch
    for (; overlay.through < size; overlay.through++) {
      if (tables[overlay.through] === table) overlay.places.set(textOf(this.batch.key(overlay.through)), overlay.through)
    }
    return overlay.places.size === 0 ? undefined : overlay.places.get(textOf(key))
  }

  /** Committed entries only: for walks that a turn does before it writes to the same table. */
  range(table: ShardTable, range: KeyRange): Iterable<Entry> {
    return this.#environment.range(table, range)
  }
}
