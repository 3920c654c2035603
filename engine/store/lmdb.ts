/**
 * LMDB behind the contract of environment.ts: the one file that imports `lmdb`.
 *
 * Owns: how an environment is opened, written, read and flushed. Leaves out: keys and values (tables.ts, codec.ts).
 *
 * 1. `overlappingSync: false`: a synchronous transaction has called fdatasync for its data, and written its meta page
 *    through O_DSYNC, when it returns. That is what "flushed" means here (design D1).
 * 2. Nothing but puts happens between begin and commit: a thread that dies inside a write transaction would leave the
 *    writer's lock behind, so every computation is done before.
 * 3. All opens of one path in one process share LMDB's environment, and its map, until the last of them is closed; each
 *    thread has its own handle and snapshot.
 * 4. Native memory suffers from commits that fail, until the process goes down over it. So after one that failed, room
 *    is looked for before another is begun, and a disk that stays full is refused without the library.
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { open, type Database, type DatabaseOptions, type RootDatabase } from 'lmdb'
import { isRefusal } from '../errors.js'
import { assert, must } from '../assert.js'
import type { Entry, Environment, KeyRange, WriteBatch } from './environment.js'
import { copyTables, tableNames } from './lmdb-copy.js'
import { inPlace, ScanMemory } from './scan-memory.js'
import { lookAtFiles, PAGE_BYTES, storeRefusal, tryRoom } from './store-file.js'

type BinaryTable = Database<Buffer, Uint8Array>

/** Address space, not disk: the file grows as it fills. */
const MAP_BYTES = 128 * 1024 ** 3

/**
 * Opens, and creates where it does not exist, `<dir>/<name>.mdb` with these tables; null: with those it has.
 * @throws Refusal data_dir_invalid, store_full, store_failed.
 */
export function openLmdb(dir: string, name: string, tables: readonly string[] | null): LmdbEnvironment {
  const path = join(dir, `${name}.mdb`)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
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

/** Before all keys. */
const LEAST_KEY = Buffer.of(0)

function openHandles(path: string, names: readonly string[] | null): Handles {
  const root = open<Buffer, Uint8Array>({
    path,
    maxDbs: 64,
    pageSize: PAGE_BYTES,
    mapSize: MAP_BYTES,
    overlappingSync: false,
    noMemInit: true,
    encoding: 'binary',
    keyEncoding: 'binary',
  })
  const options = { encoding: 'binary', keyEncoding: 'binary' } as const
  return { root, tables: new Map((names ?? tableNames(root)).map((name) => [name, root.openDB<Buffer, Uint8Array>(name, options)])), views: new Map() }
}

export class LmdbEnvironment implements Environment {
  readonly #path: string
  readonly #names: readonly string[]
  /** null from `unmap` until the next use. */
  #handles: Handles | null
  #closed = false
  /** Ranges that are being walked. */
  #walks = 0
  /** The last commit failed (4). */
  #failed = false

  constructor(path: string, tables: readonly string[] | null) {
    this.#path = path
    this.#handles = openHandles(path, tables)
    this.#names = [...this.#handles.tables.keys()]
  }

  #open(): Handles {
    if (this.#handles !== null) return this.#handles
    assert(!this.#closed, 'a closed environment is not used')
    return (this.#handles = openHandles(this.#path, this.#names))
  }

  #table(name: string): BinaryTable {
    return must(this.#open().tables.get(name), `table ${name}`)
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    return this.#table(table).getBinary(key)
  }

  read(table: string, key: Uint8Array, into: Uint8Array): number {
    // The library's own memory, which the next read writes over; only its `length` tells where the value ends.
    const bytes = this.#table(table).getBinaryFast(key)
    if (bytes === undefined) return -1
    const length = bytes.length
    const copied = Math.min(length, into.length)
    for (let i = 0; i < copied; i++) into[i] = bytes[i] as number
    return length
  }

  *range(table: string, range: KeyRange): Iterable<Entry> {
    // Copies of their own already: the library slices both out of its memory.
    yield* this.#walk(this.#table(table), range)
  }

  scan(table: string, range: KeyRange, visit: (key: Uint8Array, value: Uint8Array) => boolean): void {
    const memory = new ScanMemory()
    for (const { key, value } of this.#walk(this.#view(table), range)) {
      // Only its `length` tells where it ends.
      if (!visit(key, memory.show(value, 0, value.length))) return
    }
  }

  #view(table: string): BinaryTable {
    const { root, views } = this.#open()
    let view = views.get(table)
    if (view === undefined) {
      must(this.#open().tables.get(table), `table ${table}`)
      view = root.openDB<Buffer, Uint8Array>(table, inPlace(new ScanMemory()) as DatabaseOptions)
      views.set(table, view)
    }
    return view
  }

  *#walk(table: BinaryTable, range: KeyRange): Iterable<Entry> {
    const reverse = range.reverse === true
    const options: Record<string, unknown> = { reverse, snapshot: true }
    // lmdb-js starts a reverse walk at `start` and counts it in; our bounds keep their meaning in both directions.
    const start = reverse ? range.to : range.from
    const end = reverse ? undefined : range.to
    // Said where a bound is missing, too: with keys read in place the library would begin elsewhere.
    if (start !== undefined || !reverse) options['start'] = start ?? LEAST_KEY
    if (end !== undefined || reverse) options['end'] = end ?? LEAST_KEY
    let left = range.limit ?? Number.POSITIVE_INFINITY
    if (left <= 0) return
    this.#walks++
    try {
      for (const { key, value } of table.getRange(options)) {
        if (reverse) {
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
    return this.#table(table).getKeysCount({ ...(from === undefined ? {} : { start: from }), ...(to === undefined ? {} : { end: to }) })
  }

  commit(batch: WriteBatch): void {
    const { tables, keys, values, size } = batch
    const targets = tables.map((table) => this.#table(table))
    const { root } = this.#open()
    if (this.#failed) this.#mustHaveRoom()
    this.#failed = true
    try {
      root.transactionSync(() => {
        for (let i = 0; i < size; i++) {
          const value = values[i]
          if (value === undefined) (targets[i] as BinaryTable).removeSync(keys[i] as Uint8Array)
          else (targets[i] as BinaryTable).putSync(keys[i] as Uint8Array, value as Buffer)
        }
      })
      this.#failed = false
    } catch (error) {
      throw storeRefusal(error, this.#path)
    } finally {
      root.resetReadTxn()
    }
  }

  #mustHaveRoom(): void {
    try {
      tryRoom(`${this.#path}.room`)
    } catch (error) {
      throw storeRefusal(error, this.#path)
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
