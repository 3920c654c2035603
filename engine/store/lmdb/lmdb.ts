/**
 * LMDB behind the contract of environment.ts: the one file that imports `lmdb`.
 *
 * Owns: how an environment is opened, written, read and flushed. Leaves out: keys and values (tables.ts, rows.ts).
 *
 * 1. `overlappingSync: false`: when a synchronous transaction returns, it has called fdatasync for its data and written
 *    its meta page through O_DSYNC. That is what "flushed" means here (D1).
 * 2. Between begin and commit there are only puts, or opens of tables. A thread that dies inside a write transaction
 *    would leave the writer's lock behind, so everything is computed before.
 * 3. All opens of one path in one process share LMDB's environment and its map until the last of them is closed. Each
 *    thread has its own handle and snapshot.
 * 4. A write that fails in the library may end the process. So `write` alone makes commits: it refuses what the disk
 *    has no room for (free-space.ts), and makes commits that may fail one at a time (failing-writes.ts).
 * 5. After a failed write of a meta page, the library refuses even reads until the process has closed the file
 *    everywhere. Then the process ends with a sentence: nothing acknowledged is lost, and a new start reads the file.
 * 6. Checksums (checksums.ts) are added to values and taken off here. Nothing else sees them.
 */
import { statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { open, type Database, type DatabaseOptions, type RootDatabase } from 'lmdb'
import { assert, must } from '../../assert.js'
import { isRefusal, Refusal } from '../../errors.js'
import { CHECKSUM_BYTES, CHECKSUMS_TABLE, sealBatch } from '../checksums.js'
import { makeDirectory } from '../directory/make-directory.js'
import type { Entry, Environment, KeyRange, WriteBatch } from '../environment.js'
import { MAP_BYTES } from '../pages/page-file.js'
import { BatchEntry, writeKey } from './batch-entry.js'
import { oneAtATime, shortenMessages } from './failing-writes.js'
import { FileSpace, type RoomOptions } from './free-space.js'
import { copyTables, tableNames } from './lmdb-copy.js'
import { inPlace, rangeOptions } from './read-options.js'
import { ScanMemory } from './scan-memory.js'
import { checkFiles, PAGE_BYTES, storeRefusal } from './store-file.js'

/** Where a failed write is harmless, a large commit is made without all of its blocks: they are rarely needed. */
const ofRoom = shortenMessages() ? { reservedBytesMax: 4 * 1024 ** 2 } : {}

type BinaryTable = Database<Buffer, Uint8Array>

const binary = { encoding: 'binary', keyEncoding: 'binary' } as const

/**
 * Opens `<dir>/<name>.mdb` with these tables, or makes it. With null for `tables`: with the tables that it has.
 * @throws Refusal data_dir_invalid, store_full, store_failed.
 */
export function openLmdb(dir: string, name: string, tables: readonly string[] | null): LmdbEnvironment {
  const path = join(dir, `${name}.mdb`)
  try {
    makeDirectory(dir)
    checkFiles(path)
    return new LmdbEnvironment(path, tables)
  } catch (error) {
    throw isRefusal(error) ? error : storeRefusal(error, path)
  }
}

/** This thread's handles of an environment. */
interface Handles {
  readonly root: RootDatabase<Buffer, Uint8Array>
  readonly tables: ReadonlyMap<string, BinaryTable>
  /** For long walks: values stay in the library's memory, which the next read of any table overwrites. */
  readonly views: Map<string, BinaryTable>
}

/** The library's code for an environment that it does not use any more. */
const PANIC = -30795
const STANDARD_ERROR = 2

/** Ends the process if the library has given the environment up (invariant 5). */
function endIfGivenUp(root: RootDatabase<Buffer, Uint8Array>, path: string): void {
  try {
    root.resetReadTxn()
    root.getBinary(Buffer.of(1))
  } catch (error) {
    if ((error as { code?: unknown }).code !== PANIC) return
    const advice = 'Nothing that was acknowledged is lost. Start it again.'
    writeSync(STANDARD_ERROR, `The service ends: ${path} could not be written. ${advice}\n`)
    process.kill(process.pid, 'SIGKILL')
  }
}

/** A file that is written to. */
interface WrittenFile {
  readonly root: RootDatabase<Buffer, Uint8Array>
  readonly room: FileSpace
  readonly path: string
}

/**
 * Commits `puts`, which are so many entries of so many bytes, or nothing.
 * @throws Refusal store_full, store_failed.
 */
function write({ root, room, path }: WrittenFile, size: WriteSize, puts: () => void): void {
  try {
    room.begin(size.entries, size.bytes)
    if (!room.mayFail) root.transactionSync(puts)
    else {
      oneAtATime(() =>
        root.transactionSync(() => {
          room.reserve()
          puts()
        }),
      )
    }
    room.end()
  } catch (error) {
    if (isRefusal(error)) throw error
    // Numbers of the system's errors are positive, those of the library negative.
    if (Number((error as { code?: unknown }).code) > 0) room.failed()
    endIfGivenUp(root, path)
    throw storeRefusal(error, path)
  } finally {
    root.resetReadTxn()
  }
}

/** How much a commit writes. */
export interface WriteSize {
  readonly entries: number
  readonly bytes: number
}

/** The system's error for a file that is opened for writing on a file system that has become read-only: EROFS. */
const READ_ONLY = 30

/** Opens the file; for reading only where the system allows no more. */
function openRoot(path: string): { readonly root: RootDatabase<Buffer, Uint8Array>; readonly isReadOnly: boolean } {
  const options = {
    path,
    maxDbs: 64,
    pageSize: PAGE_BYTES,
    mapSize: MAP_BYTES,
    overlappingSync: false,
    noMemInit: true,
    ...binary,
  }
  try {
    return { root: open<Buffer, Uint8Array>(options), isReadOnly: false }
  } catch (error) {
    if ((error as { code?: unknown }).code !== READ_ONLY) throw error
    return { root: open<Buffer, Uint8Array>({ ...options, readOnly: true }), isReadOnly: true }
  }
}

function openHandles(path: string, room: FileSpace, names: readonly string[] | null): Handles {
  const { root, isReadOnly } = openRoot(path)
  const table = (name: string): BinaryTable =>
    Object.assign(root.openDB<Buffer, Uint8Array>(name, binary), { writeKey })
  const present = tableNames(root)
  if (present.length > 0 && !present.includes(CHECKSUMS_TABLE)) {
    void root.close()
    throw new Refusal('data_dir_invalid', `${path} has no checksums; it was not written by this service`)
  }
  const wanted = (names ?? present).filter((name) => name !== CHECKSUMS_TABLE)
  const tables = new Map<string, BinaryTable>()
  const openAll = (): void => {
    if (present.length === 0 && wanted.length > 0) table(CHECKSUMS_TABLE)
    for (const name of wanted) tables.set(name, table(name))
  }
  const made = wanted.filter((name) => !present.includes(name)).length
  // In one transaction: opened alone, each table waits for the writer and, if it is new, for a flush.
  if (made > 0) write({ root, room, path }, { entries: made + 1, bytes: 0 }, openAll)
  else if (isReadOnly) openAll()
  else root.transactionSync(openAll)
  return { root, tables, views: new Map() }
}

function withoutChecksum(value: Buffer): Buffer {
  return value.subarray(0, value.length - CHECKSUM_BYTES)
}

/** Nothing is written asynchronously, so all is closed when the call returns. */
function closeNow({ root }: Handles): void {
  void root.close()
}

export class LmdbEnvironment implements Environment {
  readonly #path: string
  readonly #names: readonly string[]
  readonly #room: FileSpace
  /** null after `unmap`, until the next use. */
  #handles: Handles | null
  #closed = false
  /** Number of ranges being walked. */
  #walks = 0

  /** `room` is for tests. */
  constructor(path: string, tables: readonly string[] | null, room: Partial<RoomOptions> = {}) {
    this.#path = path
    this.#room = new FileSpace(path, { ...ofRoom, ...room })
    this.#handles = openHandles(path, this.#room, tables)
    this.#names = [...this.#handles.tables.keys()]
  }

  #open(): Handles {
    if (this.#handles !== null) return this.#handles
    assert(!this.#closed, 'a closed environment is not used')
    return (this.#handles = openHandles(this.#path, this.#room, this.#names))
  }

  #table(name: string): BinaryTable {
    return must(this.#open().tables.get(name), 'table', name)
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    const bytes = this.#table(table).getBinary(key)
    return bytes === undefined ? undefined : withoutChecksum(bytes)
  }

  read(table: string, key: Uint8Array, into: Uint8Array): number {
    // The library's memory until the next read. Only `length` tells where it ends. For few bytes a loop beats a call.
    const bytes = this.#table(table).getBinaryFast(key)
    if (bytes === undefined) return -1
    const length = bytes.length - CHECKSUM_BYTES
    if (into.length > 64) into.set(bytes.subarray(0, Math.min(length, into.length)))
    else for (let i = 0; i < length && i < into.length; i++) into[i] = bytes[i] as number
    return length
  }

  *range(table: string, range: KeyRange): Iterable<Entry> {
    // No copies needed: the library has copied both out of its memory.
    for (const { key, value } of this.#walk(this.#table(table), range)) yield { key, value: withoutChecksum(value) }
  }

  scan(table: string, range: KeyRange, visit: (key: Uint8Array, value: Uint8Array) => boolean): void {
    const memory = new ScanMemory()
    for (const { key, value } of this.#walk(this.#view(table), range)) {
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
    // Most entries are of the same table as the one before.
    for (let i = 0; i < size; i++)
      targets.push(
        i > 0 && tables[i] === tables[i - 1] ? (targets[i - 1] as BinaryTable) : this.#table(tables[i] as string),
      )
    const { root } = this.#open()
    sealBatch(batch)
    const entry = new BatchEntry(batch)
    write({ root, room: this.#room, path: this.#path }, { entries: size, bytes: batch.bytes }, () => {
      for (let i = 0; i < size; i++) entry.write(i, targets[i] as BinaryTable)
    })
  }

  /** All reads are of this moment, until `refresh`, a commit of this handle, or the end of the synchronous walk. */
  takeSnapshot(): void {
    this.#open().root.resetReadTxn()
    for (const name of this.#names) this.get(name, Buffer.of(1))
  }

  /** Copies all tables to a new environment elsewhere. Returns the number of entries. `mayGoOn` throws to stop. */
  copyTo(dir: string, name: string, mayGoOn: () => void): number {
    const path = join(dir, `${name}.mdb`)
    const room = new FileSpace(path, ofRoom)
    const { root, tables } = openHandles(path, room, this.#names)
    try {
      const commit = (size: WriteSize, puts: () => void): void => write({ root, room, path }, size, puts)
      return copyTables(this.#open().tables, { commit, tables }, mayGoOn)
    } finally {
      void root.close()
      room.close()
    }
  }

  refresh(): void {
    this.#handles?.root.resetReadTxn()
  }

  unmap(): boolean {
    if (this.#handles === null) return true
    if (this.#walks > 0 || !this.#mayOpenAgain()) return false
    closeNow(this.#handles)
    this.#handles = null
    return true
  }

  /** A file is opened for writing, which a file system that has become read-only refuses. */
  #mayOpenAgain(): boolean {
    try {
      this.#room.tryWrite()
      return true
    } catch {
      return false
    }
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
    this.#room.close()
    await handles?.root.close()
  }
}
