/**
 * What a turn reads and writes: the store as it will be once the turn is committed.
 *
 * Owns: the batch of the turn, the one of the turn before while another thread commits it, reads that see both, and which jobs a batch
 * changes. Leaves out: commits (shard.ts).
 *
 * 1. A read sees what the same turn wrote before it, and what the turn before wrote.
 * 2. Writes are only looked through when something of their table is read, so that turns that only write pay nothing for it.
 * 3. A walk waits for the commit of the turn before.
 */
import { WriteBatch, type Entry, type Environment, type KeyRange } from '../store/environment.js'
import { sharedTables, type ShardTable } from '../store/tables.js'

function textOf(key: Uint8Array): string {
  return (Buffer.isBuffer(key) ? key : Buffer.from(key.buffer, key.byteOffset, key.byteLength)).toString('latin1')
}

/** A commit that another thread does. */
export interface CommitElsewhere {
  isOver(): boolean
  /** Waits until it is over. @throws CommitFailed where nothing was committed. */
  settle(): void
}

/** The turn before is not committed: what was built on it is void. */
export class CommitFailed extends Error {}

/** Tables in which a turn that only adds events adds rows, and changes counts. */
const addedTo: ReadonlySet<string> = new Set(['events', 'ids', 'pending', 'awaited', 'buckets', 'counts', 'stats'])

/**
 * Adds the jobs for which the writes of a turn of new events did more than add events: root cause analysis may decide other events again,
 * and then writes to `causes`; a new version of an event deletes the old one.
 */
export function addChangedJobs(jobs: Set<number>, batch: WriteBatch): void {
  const { tables, size, memory } = batch
  let isAdded = false
  for (let i = 0; i < size; i++) {
    const table = tables[i] as string
    if (i === 0 || table !== tables[i - 1]) isAdded = addedTo.has(table) || sharedTables.includes(table)
    if (!isAdded || (batch.valueBytes(i) < 0 && !sharedTables.includes(table)))
      jobs.add(memory.readUInt32BE(batch.startOf(i)))
  }
}

/** What one turn wrote. */
class Written {
  readonly batch = new WriteBatch()
  /** By table, as far as the batch was looked through for it: where in the batch a key was written last; keys as Latin-1 texts. */
  readonly #overlays = new Map<ShardTable, { readonly places: Map<string, number>; through: number }>()

  clear(): void {
    this.batch.clear()
    this.#overlays.clear()
  }

  placeOf(table: ShardTable, key: Uint8Array): number | undefined {
    let overlay = this.#overlays.get(table)
    if (overlay === undefined) {
      overlay = { places: new Map(), through: 0 }
      this.#overlays.set(table, overlay)
    }
    const { tables, size } = this.batch
    for (; overlay.through < size; overlay.through++) {
      if (tables[overlay.through] === table)
        overlay.places.set(textOf(this.batch.key(overlay.through)), overlay.through)
    }
    return overlay.places.size === 0 ? undefined : overlay.places.get(textOf(key))
  }

  /** As put; where the key was written before, that is what changes, and the store is written to once. */
  replace(table: ShardTable, key: Uint8Array, value: Uint8Array): void {
    const place = this.placeOf(table, key)
    if (place === undefined) this.batch.put(table, key, value)
    else this.#overlays.get(table)?.places.set(textOf(key), this.batch.replace(place, value))
  }
}

export class TurnStore {
  readonly #environment: Environment
  #now = new Written()
  /** Of the turn before, until it is committed. */
  #before = new Written()
  #elsewhere: CommitElsewhere | null = null

  constructor(environment: Environment) {
    this.#environment = environment
  }

  get batch(): WriteBatch {
    return this.#now.batch
  }

  /** A new turn begins: nothing is written, and reads see the latest commit, and what is on its way to the next. */
  begin(): void {
    if (this.#elsewhere?.isOver() === true) this.settle()
    this.#now.clear()
    this.#environment.refresh()
  }

  /** The turn ends; another thread commits what it wrote. That of the turn before has to be settled. */
  handOver(elsewhere: CommitElsewhere): void {
    ;[this.#now, this.#before] = [this.#before, this.#now]
    this.#elsewhere = elsewhere
  }

  /** Waits until all turns before this one are committed. @throws CommitFailed where one was not. */
  settle(): void {
    const elsewhere = this.#elsewhere
    if (elsewhere === null) return
    elsewhere.settle()
    this.#elsewhere = null
    this.#before.clear()
    this.#environment.refresh()
  }

  /** Forgets what other threads commit: all of it is over. */
  forget(): void {
    this.#elsewhere = null
    this.#before.clear()
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
    const place = this.#now.placeOf(table, key)
    if (place !== undefined) return this.batch.value(place)?.slice()
    const placeBefore = this.#elsewhere === null ? undefined : this.#before.placeOf(table, key)
    if (placeBefore !== undefined) return this.#before.batch.value(placeBefore)?.slice()
    return this.#environment.get(table, key)
  }

  /** As put; where the turn wrote the key before, that is what changes, and the store is written to once. */
  replace(table: ShardTable, key: Uint8Array, value: Uint8Array): void {
    this.#now.replace(table, key, value)
  }

  /** Committed entries only: for walks that a turn does before it writes to the same table. */
  range(table: ShardTable, range: KeyRange): Iterable<Entry> {
    this.settle()
    return this.#environment.range(table, range)
  }
}
