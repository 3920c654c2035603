/**
 * Checks whether there is room on the disk before a commit begins.
 *
 * When a write fails, the native library writes its error message into memory that can be too short for it
 * (mdb_page_flush of lmdb 3.5). The process ends then, at once or later. So a commit that the disk may have no room for
 * is refused without asking the library.
 *
 * 1. A commit writes at most a page for each entry, the entries' bytes, and a little more.
 * 2. If there is less room than that, a commit begins only if the last one did not extend the file: it reuses free
 *    pages.
 * 3. After a commit that failed all the same (a quota, a broken disk), another begins only if a new file can be
 *    written.
 */
import { openSync, readSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { Refusal } from '../../errors.js'
import { META_PAGE_BYTES } from '../pages/page-file.js'

/** Size of a new environment's files. */
const NEW_BYTES = 64 * 1024
/** Bytes that a commit writes besides its entries: branch pages, roots, the list of free pages. */
const BESIDE_BYTES = 128 * 1024
/** Below this much free space, commits are watched for whether they extend the file. */
const SCARCE_BYTES = 1024 ** 3

export function diskFull(): Refusal {
  return new Refusal('store_full', 'the disk of the data directory is full; nothing was stored')
}

/** Writes a new file and deletes it. @throws the system's error if there is no room. */
export function tryRoom(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(NEW_BYTES), { flush: true })
  } finally {
    rmSync(path, { force: true })
  }
}

/** The file of this process's limits. It is read again each time: a limit may be set or lifted while it runs. */
let limitsFile: number | undefined
const limitsText = Buffer.alloc(1024)

/** The longest file that this process may write, bytes; infinite without a limit. */
function fileBytesMax(): number {
  try {
    limitsFile ??= openSync('/proc/self/limits', 'r')
    const text = limitsText.toString('latin1', 0, readSync(limitsFile, limitsText, 0, limitsText.length, 0))
    const [, soft] = /^Max file size +(\d+)/m.exec(text) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

const isRoot = process.geteuid?.() === 0

/** Bytes by which the file may grow now; infinite if unknown. */
export function freeBytes(path: string): number {
  const max = fileBytesMax()
  const left = max === Number.POSITIVE_INFINITY ? max : max - fileBytes(path)
  try {
    const { bavail, bfree, blocks, bsize } = statfsSync(path)
    return blocks === 0 ? left : Math.min(left, (isRoot ? bfree : bavail) * bsize)
  } catch {
    return left
  }
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

export class Room {
  readonly #path: string
  readonly #free: (path: string) => number
  /** A commit was begun and has not succeeded. */
  #failed = false
  /** The last commit extended the file, or was not watched. */
  #grows = true
  /** Bytes of the file before the running commit; -1 if it is not watched. */
  #before = -1

  /** `free` is for tests. */
  constructor(path: string, free: (path: string) => number = freeBytes) {
    this.#path = path
    this.#free = free
  }

  /**
   * To be called before a commit, with the number of its entries and their bytes.
   * @throws Refusal store_full; after a failed commit the system's error for a new file.
   */
  begin(entries: number, bytes: number): void {
    if (this.#failed) tryRoom(`${this.#path}.room`)
    const free = this.#free(this.#path)
    if (this.#grows && free < entries * META_PAGE_BYTES + bytes + BESIDE_BYTES) throw diskFull()
    this.#before = free < SCARCE_BYTES ? fileBytes(this.#path) : -1
    this.#failed = true
  }

  /** To be called after a commit that succeeded. */
  end(): void {
    this.#failed = false
    this.#grows = this.#before < 0 || fileBytes(this.#path) > this.#before
  }
}
