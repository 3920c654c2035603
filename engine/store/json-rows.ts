/**
 * The rows of one table, as they are stored and in memory: JSON (json-row.ts) under keys that begin with a u32, such as
 * the number of a job.
 *
 * Owns: changing a row by what it is now. Leaves out: what rows mean.
 *
 * 1. Nobody writes a row that he has read: between the read and the write others may have changed it. A row is changed
 *    by a function of the row as it is now, which runs at once. So what was read before an `await` is never written
 *    over what was acknowledged since.
 * 2. A row that is gone is not made again by its change: `change` then writes nothing at all.
 * 3. Memory changes after the commit, so a failed commit changes neither.
 */
import { assert } from '../assert.js'
import { WriteBatch, type Environment } from './environment.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

/** Returns the row that it is from now on; null to leave it as it is. */
export type RowChange<Row> = (now: Row) => Row | null

export interface RowEntry<Row> {
  readonly key: Uint8Array
  readonly row: Row
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

function groupOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUInt32BE(0)
}

export class JsonRows<Row extends object> {
  readonly #environment: Environment
  readonly #table: string
  /** By the number that their keys begin with, then by key; in the order of keys as they were read, then of adding. */
  readonly #groups = new Map<number, Map<string, RowEntry<Row>>>()

  constructor(environment: Environment, table: string) {
    this.#environment = environment
    this.#table = table
    for (const { key, value } of environment.range(table, {})) this.#keep(key.slice(), decodeJsonRow(value) as Row)
  }

  /** The numbers that keys begin with. */
  groups(): number[] {
    return [...this.#groups.keys()]
  }

  /** The rows whose keys begin with the number. */
  of(group: number): Row[] {
    return [...(this.#groups.get(group)?.values() ?? [])].map(({ row }) => row)
  }

  *entries(): Iterable<RowEntry<Row>> {
    for (const group of this.#groups.values()) yield* group.values()
  }

  /** Those whose keys begin with the number. */
  *entriesOf(group: number): Iterable<RowEntry<Row>> {
    yield* this.#groups.get(group)?.values() ?? []
  }

  get(key: Uint8Array): Row | undefined {
    return this.#groups.get(groupOf(key))?.get(nameOf(key))?.row
  }

  /** Writes a new row with the rest of a batch, durably. @throws Refusal store_full, store_failed. */
  add(key: Uint8Array, row: Row, batch = new WriteBatch()): void {
    assert(this.get(key) === undefined, 'a row is added once')
    this.#write(key, row, batch)
  }

  /**
   * Changes the row with the rest of a batch, durably; `into` may still add to the batch. Returns the row as it is from
   * now on; undefined where it is gone or stays as it is, and then nothing of the batch is written.
   * @throws Refusal store_full, store_failed.
   */
  change(key: Uint8Array, into: RowChange<Row>, batch = new WriteBatch()): Row | undefined {
    const now = this.get(key)
    const next = now === undefined ? null : into(now)
    if (next === null) return undefined
    this.#write(key, next, batch)
    return next
  }

  /** The same where a row that is not there counts as `none`. */
  changeOrAdd(key: Uint8Array, none: Row, into: RowChange<Row>, batch = new WriteBatch()): Row | undefined {
    const next = into(this.get(key) ?? none)
    if (next === null) return undefined
    this.#write(key, next, batch)
    return next
  }

  /** As `changeOrAdd`, in memory alone, because it could not be written. */
  remember(key: Uint8Array, none: Row, into: RowChange<Row>): Row | undefined {
    const next = into(this.get(key) ?? none)
    if (next !== null) this.#keep(key, next)
    return next ?? undefined
  }

  /** Deletes the row with the rest of a batch. @throws Refusal store_full, store_failed. */
  delete(key: Uint8Array, batch = new WriteBatch()): void {
    batch.delete(this.#table, key)
    this.#environment.commit(batch)
    this.forget(key)
  }

  /** Forgets the row, whose stored bytes are somebody else's matter. */
  forget(key: Uint8Array): void {
    const group = this.#groups.get(groupOf(key))
    group?.delete(nameOf(key))
    if (group?.size === 0) this.#groups.delete(groupOf(key))
  }

  #write(key: Uint8Array, row: Row, batch: WriteBatch): void {
    batch.put(this.#table, key, encodeJsonRow(row))
    this.#environment.commit(batch)
    this.#keep(key, row)
  }

  #keep(key: Uint8Array, row: Row): void {
    const number = groupOf(key)
    let group = this.#groups.get(number)
    if (group === undefined) this.#groups.set(number, (group = new Map()))
    group.set(nameOf(key), { key, row })
  }
}
