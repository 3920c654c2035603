/**
 * What a turn reads and writes: the store as it will be once the turn is committed.
 *
 * Owns: the batch of the turn, the batch of the turn before while another thread commits it, reads that see both, and
 * which jobs a batch changes. Leaves out: commits (shard.ts).
 *
 * 1. A read sees what the turn wrote before it, and what the turn before wrote.
 * 2. Writes are indexed only when something of their table is read, so turns that only write pay nothing for it.
 * 3. A walk waits for the commit of the turn before.
 */
import { WriteBatch, type Entry, type Environment, type KeyRange } from '../store/environment.js'
import { sharedTables, type ShardTable } from '../store/tables.js'

function textOf(key: Uint8Array): string {
  return (Buffer.isBuffer(key) ? key : Buffer.from(key.buffer, key.byteOffset, key.byteLength)).toString('latin1')
}

function isBefore(key: Uint8Array, end: Uint8Array | undefined): boolean {
  return end !== undefined && Buffer.compare(key, end) < 0
}

/** A commit by another thread. */
export interface CommitElsewhere {
  isOver(): boolean
  /** Waits until it is over. @throws CommitFailed. */
  settle(): void
}

/** Hands turns over to another thread, which commits them (commit-slot.ts). */
export interface HandOver {
  /** Null where the shard's own thread has to commit. */
  offer(shard: number, place: number, batch: WriteBatch): CommitElsewhere | null
  /** Waits until the last turn that was handed over is committed, or has failed. */
  wait(): void
}

/** The turn before was not committed, so what was decided after it is void. */
export class CommitFailed extends Error {}

/** Tables that a turn writes to when it only adds events. */
const addedTo: ReadonlySet<string> = new Set([
  'events',
  'ids',
  'pending',
  'awaited',
  'buckets',
  'bucket_ids',
  'bucket_tail',
  'counts',
  'stats',
  'points',
  'autonomy',
  'audits',
  'dues',
])

/** Tables that a turn deletes from when it only adds events. */
function isDeletedFrom(table: string): boolean {
  return table === 'bucket_tail' || sharedTables.includes(table)
}

/**
 * Adds the jobs for which a turn did more than add events, judging by its writes. A new version of an event deletes the
 * old one. Root cause analysis may decide other events again, and writes to `causes` then.
 */
export function addChangedJobs(jobs: Set<number>, batch: WriteBatch): void {
  const { tables, size, memory } = batch
  let isAdded = false
  for (let i = 0; i < size; i++) {
    const table = tables[i] as string
    if (i === 0 || table !== tables[i - 1]) isAdded = addedTo.has(table) || sharedTables.includes(table)
    if (!isAdded || (batch.valueBytes(i) < 0 && !isDeletedFrom(table))) jobs.add(memory.readUInt32BE(batch.startOf(i)))
  }
}

/** What one turn wrote. */
class Written {
  readonly batch = new WriteBatch()
  /** By table: where in the batch a key (as Latin-1 text) was written last, as far as the batch has been indexed. */
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

  /** Like put, but where the turn wrote the key before, that write is changed: the store is written to once. */
  replace(table: ShardTable, key: Uint8Array, value: Uint8Array): void {
    const place = this.placeOf(table, key)
    if (place === undefined) this.batch.put(table, key, value)
    else this.#overlays.get(table)?.places.set(textOf(key), this.batch.replace(place, value))
  }
}

export class TurnStore {
  readonly #environment: Environment
  #now = new Written()
  /** What the turn before wrote, until it is committed. */
  #before = new Written()
  #elsewhere: CommitElsewhere | null = null

  constructor(environment: Environment) {
    this.#environment = environment
  }

  get batch(): WriteBatch {
    return this.#now.batch
  }

  /** A new turn begins: its batch is empty, and reads see the latest commit and the turn that is being committed. */
  begin(): void {
    if (this.#elsewhere?.isOver() === true) this.settle()
    this.#now.clear()
    this.#environment.refresh()
  }

  /** The turn ends, and another thread commits what it wrote. The turn before must be settled. */
  handOver(elsewhere: CommitElsewhere): void {
    ;[this.#now, this.#before] = [this.#before, this.#now]
    this.#elsewhere = elsewhere
  }

  /** Waits until all turns before this one are committed. @throws CommitFailed. */
  settle(): void {
    const elsewhere = this.#elsewhere
    if (elsewhere === null) return
    elsewhere.settle()
    this.#elsewhere = null
    this.#before.clear()
    this.#environment.refresh()
  }

  /** Forgets the commit of another thread, which is over. */
  forget(): void {
    this.#elsewhere = null
    this.#before.clear()
  }

  /** Gives back the memory of batches, which are empty between turns once all commits are over. */
  rest(): void {
    if (this.#elsewhere?.isOver() === true) this.settle()
    if (this.#elsewhere !== null || this.batch.size > 0) return
    this.#now = new Written()
    this.#before = new Written()
  }

  put(table: ShardTable, key: Uint8Array, value: Uint8Array): void {
    this.batch.put(table, key, value)
  }

  /** Like put, but the caller writes key and value, in this order, into `batch.memory`; returns where. */
  lay(table: ShardTable, keyBytes: number, valueBytes: number): number {
    return this.batch.lay(table, keyBytes, valueBytes)
  }

  delete(table: ShardTable, key: Uint8Array): void {
    this.batch.delete(table, key)
  }

  get(table: ShardTable, key: Uint8Array): Uint8Array | undefined {
    const written = this.#written(table, key)
    return written === null ? this.#environment.get(table, key) : written.value?.slice()
  }

  /** As Environment.read. */
  read(table: ShardTable, key: Uint8Array, into: Uint8Array): number {
    const written = this.#written(table, key)
    if (written === null) return this.#environment.read(table, key, into)
    if (written.value === undefined) return -1
    into.set(written.value.subarray(0, into.length))
    return written.value.length
  }

  /** What this turn, or else the one before, wrote under the key: undefined where it deleted it; null for nothing. */
  #written(table: ShardTable, key: Uint8Array): { readonly value: Uint8Array | undefined } | null {
    const place = this.#now.placeOf(table, key)
    if (place !== undefined) return { value: this.batch.value(place) }
    const placeBefore = this.#elsewhere === null ? undefined : this.#before.placeOf(table, key)
    return placeBefore === undefined ? null : { value: this.#before.batch.value(placeBefore) }
  }

  /** As `get`, without what this turn and the one before wrote: for a table whose writer knows those. */
  committed(table: ShardTable, key: Uint8Array): Uint8Array | undefined {
    return this.#environment.get(table, key)
  }

  /** Like put, but where the turn wrote the key before, that write is changed: the store is written to once. */
  replace(table: ShardTable, key: Uint8Array, value: Uint8Array): void {
    this.#now.replace(table, key, value)
  }

  /** The entries of a range, in no particular order, with those that this turn wrote. */
  walk(table: ShardTable, range: Pick<KeyRange, 'from' | 'to'>): Entry[] {
    const found = new Map<string, Entry>()
    for (const entry of this.range(table, range)) found.set(textOf(entry.key), entry)
    const { tables, size } = this.batch
    for (let i = 0; i < size; i++) {
      if (tables[i] !== table) continue
      const key = this.batch.key(i)
      if (isBefore(key, range.from) || !isBefore(key, range.to)) continue
      const value = this.batch.value(i)?.slice()
      if (value === undefined) found.delete(textOf(key))
      else found.set(textOf(key), { key: key.slice(), value })
    }
    return [...found.values()]
  }

  /** Committed entries only, so a turn walks over a table before it writes to it. */
  range(table: ShardTable, range: KeyRange): Iterable<Entry> {
    this.settle()
    return this.#environment.range(table, range)
  }
}
