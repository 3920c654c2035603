/**
 * LMDB behind the contract of environment.ts: the one file that imports `lmdb`.
 *
 * Owns: how an environment is opened, written, read and flushed. Leaves out: keys and values (tables.ts, rows.ts).
 *
 * 1. `overlappingSync: false`: a synchronous transaction has called fdatasync for its data, and written its meta page
 *    through O_DSYNC, when it returns. That is what "flushed" means here (D1).
 * 2. Nothing but puts, or opens of tables, happens between begin and commit: a thread that dies inside a write transaction
 *    would leave the writer's lock behind, so every computation is done before.
 * 3. All opens of one path in one process share LMDB's environment, and its map, until the last of them is closed; each
 *    thread has its own handle and snapshot.
 * 4. Native memory suffers from commits that fail, until the process goes down over it. So room is looked for before one is
 *    begun (free-space.ts), and a full disk is refused without the library.
 * 5. Checksums (checksums.ts) are put behind values here and taken off here; nobody else sees them.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { open, type Database, type DatabaseOptions, type RootDatabase } from 'lmdb'
import { isRefusal, Refusal } from '../../errors.js'
import { assert, must } from '../../assert.js'
import { BatchEntry, writeKey } from './batch-entry.js'
import { CHECKSUM_BYTES, CHECKSUMS_TABLE, sealBatch } from '../checksums.js'
import type { Entry, Environment, KeyRange, WriteBatch } from '../environment.js'
import { copyTables, tableNames } from './lmdb-copy.js'
import { rangeOptions } from './lmdb-range.js'
import { makeDirectory } from '../directory/make-directory.js'
import { MAP_BYTES } from '../pages/page-file.js'
import { inPlace, ScanMemory } from '../scan-memory.js'
import { Room } from './free-space.js'
import { lookAtFiles, PAGE_BYTES, storeRefusal } from './store-file.js'

type BinaryTable = Database<Buffer, Uint8Array>

const binary = { encoding: 'binary', keyEncoding: 'binary' } as const

/**
 * Opens, and creates where it does not exist, `<dir>/<name>.mdb` with these tables; null: with those it has.
 * @throws Refusal data_dir_invalid, store_full, store_failed.
 */
export function openLmdb(dir: string, name: string, tables: readonly string[] | null): LmdbEnvironment {
  const path = join(dir, `${name}.mdb`)
  try {
    makeDirectory(dir)
    lookAtFiles(path)
    return new LmdbEnvironment(path, tables)
  } catch (error) {
    throw isRefusal(error) ? error : storeRefusal(error, path)
  }
}

/** This thread's handles of an environment. */
interface Handles {
  readonly root: RootDatabase<Buffer, Uint8Array>
  readonly tables: ReadonlyMap<string, BinaryTable>
  /** The same tables for long walks: values stay in the library's own memory, which the next read of any table writes over. */
  readonly views: Map<string, BinaryTable>
}

function openHandles(path: string, names: readonly string[] | null): Handles {
  const root = open<Buffer, Uint8Array>({
    path,
    maxDbs: 64,
    pageSize: PAGE_BYTES,
    mapSize: MAP_BYTES,
    overlappingSync: false,
    noMemInit: true,
    ...binary,
  })
  const table = (name: string): BinaryTable =>
    Object.assign(root.openDB<Buffer, Uint8Array>(name, binary), { writeKey })
  const present = tableNames(root)
  if (present.length > 0 && !present.includes(CHECKSUMS_TABLE)) {
    void root.close()
    throw new Refusal('data_dir_invalid', `${path} has no checksums; it was not written by this service`)
  }
  const wanted = (names ?? present).filter((name) => name !== CHECKSUMS_TABLE)
  // In one transaction: a table that is opened by itself waits for the writer and, where it is new, for a flush of its own.
  const tables = root.transactionSync(() => {
    if (present.length === 0 && wanted.length > 0) table(CHECKSUMS_TABLE)
    return new Map(wanted.map((name) => [name, table(name)]))
  })
  return { root, tables, views: new Map() }
}

function withoutChecksum(value: Buffer): Buffer {
  return value.subarray(0, value.length - CHECKSUM_BYTES)
}

export class LmdbEnvironment implements Environment {
  readonly #path: string
  readonly #names: readonly string[]
  readonly #room: Room
  /** null from `unmap` until the next use. */
  #handles: Handles | null
  #closed = false
  /** Ranges that are being walked. */
  #walks = 0

  constructor(path: string, tables: readonly string[] | null) {
    this.#path = path
    this.#room = new Room(path)
    this.#handles = openHandles(path, tables)
    this.#names = [...this.#handles.tables.keys()]
  }

  #open(): Handles {
    if (this.#handles !== null) return this.#handles
    assert(!this.#closed, 'a closed environment is not used')
    return (this.#handles = openHandles(this.#path, this.#names))
  }

  #table(name: string): BinaryTable {
    return must(this.#open().tables.get(name), 'table', name)
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    const bytes = this.#table(table).getBinary(key)
    return bytes === undefined ? undefined : withoutChecksum(bytes)
  }

  read(table: string, key: Uint8Array, into: Uint8Array): number {
    // The library's own memory, which the next read writes over; only its `length` tells where the value ends.
    const bytes = this.#table(table).getBinaryFast(key)
    if (bytes === undefined) return -1
    const length = bytes.length - CHECKSUM_BYTES
    const copied = Math.min(length, into.length)
    for (let i = 0; i < copied; i++) into[i] = bytes[i] as number
    return length
  }

  *range(table: string, range: KeyRange): Iterable<Entry> {
    // Copies of their own already: the library slices both out of its memory.
    for (const { key, value } of this.#walk(this.#table(table), range)) yield { key, value: withoutChecksum(value) }
  }

  scan(table: string, range: KeyRange, visit: (key: Uint8Array, value: Uint8Array) => boolean): void {
    const memory = new ScanMemory()
    for (const { key, value } of this.#walk(this.#view(table), range)) {
      // Only its `length` tells where it ends.
      if (!visit(key, memory.show(value, 0, value.length - CHECKSUM_BYTES))) return
    }
  }

  #view(table: string): BinaryTable {
    const { root, views } = this.#open()
    let view = views.get(table)
    if (view === undefined) {
      must(this.#open().tables.get(table), 'table', table)
      view = root.openDB<Buffer, Uint8Array>(table, inPlace(new ScanMemory()) as DatabaseOptions)
      views.set(table, view)
    }
    return view
  }

  *#walk(table: BinaryTable, range: KeyRange): Iterable<{ readonly key: Uint8Array; readonly value: Buffer }> {
    let left = range.limit ?? Number.POSITIVE_INFINITY
    if (left <= 0) return
    this.#walks++
    try {
      for (const { key, value } of table.getRange(rangeOptions(range))) {
        if (range.reverse === true) {
          if (range.to !== undefined && Buffer.compare(key, range.to) >= 0) continue
          if (range.from !== undefined && Buffer.compare(key, range.from) < 0) return
        }
        yield { key, value }
        if (--left <= 0) return
      }
    } finally {
      this.#walks--
    }
  }

  count(table: string, { from, to }: Pick<KeyRange, 'from' | 'to'>): number {
    return this.#table(table).getKeysCount({
      ...(from === undefined ? {} : { start: from }),
      ...(to === undefined ? {} : { end: to }),
    })
  }

  commit(batch: WriteBatch): void {
    const { tables, size } = batch
    const targets: BinaryTable[] = []
    // Most are of the same table as the one before.
    for (let i = 0; i < size; i++)
      targets.push(
        i > 0 && tables[i] === tables[i - 1] ? (targets[i - 1] as BinaryTable) : this.#table(tables[i] as string),
      )
    const { root } = this.#open()
    sealBatch(batch)
    const entry = new BatchEntry(batch)
    try {
      this.#room.begin(size, batch.bytes)
      root.transactionSync(() => {
        for (let i = 0; i < size; i++) entry.write(i, targets[i] as BinaryTable)
      })
      this.#room.end()
    } catch (error) {
      throw isRefusal(error) ? error : storeRefusal(error, this.#path)
    } finally {
      root.resetReadTxn()
    }
  }

  /** All reads from now on, until `refresh`, a commit of its own or the end of the synchronous walk, are of this moment. */
  takeSnapshot(): void {
    this.#open().root.resetReadTxn()
    for (const name of this.#names) this.get(name, Buffer.of(1))
  }

  /** Makes an environment of the same tables and entries in another directory, where there is none; returns how many. `mayGoOn` throws to give up. */
  copyTo(dir: string, name: string, mayGoOn: () => void): number {
    const target = openHandles(join(dir, `${name}.mdb`), this.#names)
    try {
      return copyTables(this.#open().tables, target, mayGoOn)
    } finally {
      // Nothing is written asynchronously here, so it is closed when the call returns.
      void target.root.close()
    }
  }

  refresh(): void {
    this.#handles?.root.resetReadTxn()
  }

  unmap(): boolean {
    if (this.#handles === null) return true
    if (this.#walks > 0) return false
    const { root } = this.#handles
    this.#handles = null
    // Nothing is written asynchronously here, so it is closed when the call returns.
    void root.close()
    return true
  }

  map(): void {
    this.#open()
  }

  sizeBytes(): number {
    return statSync(this.#path).size
  }

  async close(): Promise<void> {
    this.#closed = true
    const handles = this.#handles
    this.#handles = null
    await handles?.root.close()
  }
}
