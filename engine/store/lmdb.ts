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
import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { open, type Database, type RootDatabase } from 'lmdb'
import { isRefusal, Refusal } from '../errors.js'
import { assert, must } from '../assert.js'
import type { Entry, Environment, KeyRange, WriteBatch } from './environment.js'

type BinaryTable = Database<Buffer, Uint8Array>

/** Address space, not disk: the file grows as it fills. */
const MAP_BYTES = 128 * 1024 ** 3
const PAGE_BYTES = 8192

/** Error numbers of a full disk or map: ENOSPC, EFBIG, EDQUOT, MDB_MAP_FULL. */
const FULL_CODES = new Set([28, 27, 122, -30792])

/**
 * Opens, and creates where it does not exist, `<dir>/<name>.mdb` with these tables.
 * @throws Refusal data_dir_invalid, store_full, store_failed.
 */
export function openLmdb(dir: string, name: string, tables: readonly string[]): LmdbEnvironment {
  const path = join(dir, `${name}.mdb`)
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    lookAtFiles(path)
    return new LmdbEnvironment(path, tables)
  } catch (error) {
    throw isRefusal(error) ? error : storeRefusal(error, path)
  }
}

/** LMDB's mark, and where its files have it. */
const MAGIC = 0xbeefc0de
const MAGIC_AT = 24

/** What the files of a new environment take. */
const NEW_BYTES = 64 * 1024

/**
 * The native library takes the process down over a file that is not one of its own, and over a disk that is full when it
 * makes one, so both are looked at first. A file that is shorter than the two pages it begins with was cut off when it
 * was made, and has never held anything.
 */
function lookAtFiles(path: string): void {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 }
  const isCutOff = size < 2 * PAGE_BYTES
  if (isCutOff || !existsSync(`${path}-lock`)) tryRoom(`${path}.room`)
  if (isCutOff) return rmSync(path, { force: true })
  const file = openSync(path, 'r')
  const start = Buffer.alloc(MAGIC_AT + 4)
  readSync(file, start)
  closeSync(file)
  if (start.readUInt32LE(MAGIC_AT) !== MAGIC) {
    throw new Refusal('data_dir_invalid', `${path} is not a file of the store; it was changed or overwritten by something else`)
  }
}

function tryRoom(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(NEW_BYTES), { flush: true })
  } finally {
    rmSync(path, { force: true })
  }
}

/** This thread's handles of an environment. */
interface Handles {
  readonly root: RootDatabase<Buffer, Uint8Array>
  readonly tables: ReadonlyMap<string, BinaryTable>
}

function openHandles(path: string, names: readonly string[]): Handles {
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
  return { root, tables: new Map(names.map((name) => [name, root.openDB<Buffer, Uint8Array>(name, options)])) }
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

  constructor(path: string, tables: readonly string[]) {
    this.#path = path
    this.#names = tables
    this.#handles = openHandles(path, tables)
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
    const reverse = range.reverse === true
    const options: Record<string, unknown> = { reverse, snapshot: true }
    // lmdb-js starts a reverse walk at `start` and counts it in; our bounds keep their meaning in both directions.
    const start = reverse ? range.to : range.from
    const end = reverse ? undefined : range.to
    if (start !== undefined) options['start'] = start
    if (end !== undefined) options['end'] = end
    let left = range.limit ?? Number.POSITIVE_INFINITY
    if (left <= 0) return
    const entries = this.#table(table).getRange(options)
    this.#walks++
    try {
      for (const { key, value } of entries) {
        if (reverse) {
          if (range.to !== undefined && Buffer.compare(key, range.to) >= 0) continue
          if (range.from !== undefined && Buffer.compare(key, range.from) < 0) return
        }
        // Copies of their own already: the library slices both out of its memory.
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

/** A write that a full disk cuts short surfaces as EIO, so the disk itself is asked how much room it has. */
const ROOM_BYTES_MIN = 4 * 1024 ** 2

function storeRefusal(error: unknown, path: string): Error {
  const code = (error as { code?: unknown }).code
  const text = error instanceof Error ? error.message : String(error)
  const full = (typeof code === 'number' && FULL_CODES.has(code)) || /no space|too large|quota|mapsize/i.test(text)
  if (full || roomBytes(path) < ROOM_BYTES_MIN) {
    return new Refusal('store_full', 'the disk of the data directory is full; nothing was stored')
  }
  return new Refusal('store_failed', 'the store could not write; nothing was stored', { details: text })
}

function roomBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
