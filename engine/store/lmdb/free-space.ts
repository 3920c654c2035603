/**
 * Whether there is room for a commit, asked before it is begun.
 *
 * The native library puts what it says of a write that failed into memory that can be too short for it (mdb_page_flush of lmdb 3.5), and
 * the process goes down over that, at once or later. So what the disk has no room for is refused without the library.
 *
 * 1. How much a commit writes at most is known before: a page an entry, its bytes, and a little more.
 * 2. Where there is less room than that, a commit is begun if the one before made the file no longer: it lives on pages given back.
 * 3. A commit that failed all the same (a quota, a disk that breaks) is followed by another only where a new file can be written.
 */
import { openSync, readSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { Refusal } from '../../errors.js'
import { META_PAGE_BYTES } from '../pages/page-file.js'

/** What the files of a new environment take. */
const NEW_BYTES = 64 * 1024
/** Pages that a commit writes beside those of its entries: the ways to them, roots, the list of what is given back. */
const BESIDE_BYTES = 128 * 1024
/** Below this it is watched whether commits make the file longer. */
const SCARCE_BYTES = 1024 ** 3

export function diskFull(): Refusal {
  return new Refusal('store_full', 'the disk of the data directory is full; nothing was stored')
}

/** @throws what the system says where there is no room for a new file. */
export function tryRoom(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(NEW_BYTES), { flush: true })
  } finally {
    rmSync(path, { force: true })
  }
}

/** The file of this process's limits, kept open: a limit may be set, or lifted, at any time. */
let limitsFile: number | undefined
const limitsText = Buffer.alloc(1024)

/** How long a file of this process may be, bytes; infinite where nothing limits it. */
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

/** Bytes by which the file may grow now; infinite where nobody says. */
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
  /** A commit was begun and has not ended well. */
  #failed = false
  /** The last commit made the file longer, or was not watched. */
  #grows = true
  /** Bytes of the file before the commit under way; -1 where it is not watched. */
  #before = -1

  /** `free` is for tests. */
  constructor(path: string, free: (path: string) => number = freeBytes) {
    this.#path = path
    this.#free = free
  }

  /** Before a commit of so many entries, which have so many bytes. @throws Refusal store_full; what the system says of a new file. */
  begin(entries: number, bytes: number): void {
    if (this.#failed) tryRoom(`${this.#path}.room`)
    const free = this.#free(this.#path)
    if (this.#grows && free < entries * META_PAGE_BYTES + bytes + BESIDE_BYTES) throw diskFull()
    this.#before = free < SCARCE_BYTES ? fileBytes(this.#path) : -1
    this.#failed = true
  }

  /** The commit has ended well. */
  end(): void {
    this.#failed = false
    this.#grows = this.#before < 0 || fileBytes(this.#path) > this.#before
  }
}
