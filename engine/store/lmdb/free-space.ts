/**
 * Makes sure that the disk takes what a commit writes, before the native library writes it.
 *
 * A write that fails inside the library is expensive: it can end the process (failing-writes.ts), and it leaves a file
 * in a state that must be checked. So a commit that would fail is refused without asking the library.
 *
 * 1. A commit writes at most a page for each entry, the entries' bytes, and a little more.
 * 2. Before each commit a byte is written to the same file system. That fails where the system takes no writes at all:
 *    it has become read-only, or has been shut down after an error.
 * 3. Where space is scarce, another program may take it while the commit runs. So the end of the file, up to what the
 *    commit may need, is written in advance, within its transaction: those blocks are the file's own then. A commit
 *    without such blocks begins only if the last one did not extend the file: it reuses free pages.
 * 4. After a commit that failed all the same, space counts as scarce for a minute, in all threads.
 */
import { closeSync, openSync, readSync, rmSync, statfsSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { Refusal } from '../../errors.js'
import { META_PAGE_BYTES, META_PAGES } from '../pages/page-file.js'
import { areWritesFailing, writeFailed } from './failing-writes.js'

/** Size of a new environment's files. */
const NEW_BYTES = 64 * 1024
/** Bytes that a commit writes besides its entries: branch pages, roots, the list of free pages. */
const BESIDE_BYTES = 128 * 1024
/** Below this much free space another program may take it all during a commit. */
const SCARCE_BYTES = 1024 ** 3
/** What is written in advance beyond what the running commit may need. */
const AHEAD_BYTES = 512 * 1024
const zeros = Buffer.alloc(256 * 1024)
const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

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

/** A file without a name, to which one byte is written again and again. */
interface Probe {
  readonly file: number
  users: number
}

/** By directory: its probe in this thread. */
const probes = new Map<string, Probe>()
const BYTE = Buffer.of(1)

/** @throws the system's error. */
function openProbe(directory: string): Probe {
  const path = join(directory, `probe-${process.pid}-${threadId}`)
  try {
    return { file: openSync(path, 'w', 0o600), users: 0 }
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

const metaBytes = Buffer.alloc(16)

/** Bytes up to the last page in use, by the later of the meta pages (page-file.ts). Nobody may be writing to it. */
function usedBytes(file: number): number {
  let [latest, lastPage] = [-1n, 0n]
  for (let page = 0; page < META_PAGES; page++) {
    if (readSync(file, metaBytes, 0, 16, page * META_PAGE_BYTES + 144) < 16) continue
    const transaction = metaBytes.readBigUInt64LE(8)
    if (transaction > latest) [latest, lastPage] = [transaction, metaBytes.readBigUInt64LE(0)]
  }
  return (Number(lastPage) + 1) * META_PAGE_BYTES
}

export interface RoomOptions {
  /** Bytes that are free on the disk of a path. */
  readonly free: (path: string) => number
  /** At most so many bytes are written in advance for one commit. */
  readonly reservedBytesMax: number
}

export class FileSpace {
  readonly #path: string
  readonly #directory: string
  readonly #options: RoomOptions
  /** The store's file, once space was scarce. */
  #file: number | null = null
  /** A commit was begun and has not succeeded. */
  #failed = false
  /** The last commit extended the file, or was not watched. */
  #grows = true
  /** What the running commit may need, and the bytes by which the file may grow. */
  #needed = 0
  #free = 0
  #probe: Probe | null = null
  /** The end of what is in use, before the running commit, and of what was written in advance; 0: not known. */
  #used = 0
  #reservedUntil = 0
  /** The running commit may fail. */
  mayFail = false

  constructor(path: string, options: Partial<RoomOptions> = {}) {
    this.#path = path
    this.#directory = dirname(path)
    this.#options = { free: freeBytes, reservedBytesMax: Number.POSITIVE_INFINITY, ...options }
  }

  /**
   * To be called before a commit, with the number of its entries and their bytes. Where `mayFail` is true then, the
   * commit is made alone (failing-writes.ts), and calls `reserve` first.
   * @throws Refusal store_full; the system's error if it takes no writes.
   */
  begin(entries: number, bytes: number): void {
    this.tryWrite()
    this.#free = this.#options.free(this.#path)
    this.#needed = entries * META_PAGE_BYTES + bytes + BESIDE_BYTES
    this.mayFail = this.#free < SCARCE_BYTES || this.#failed || areWritesFailing()
    const reserved = this.mayFail ? Math.max(0, this.#reservedUntil - this.#used) : 0
    if (this.#grows && this.#free + reserved < this.#needed) throw diskFull()
    this.#failed = true
  }

  /** Writes a byte to the file system of the store. @throws the system's error if it takes no writes. */
  tryWrite(): void {
    if (this.#probe === null) {
      const probe = probes.get(this.#directory) ?? openProbe(this.#directory)
      probes.set(this.#directory, probe)
      probe.users++
      this.#probe = probe
    }
    writeSync(this.#probe.file, BYTE, 0, 1, 0)
  }

  /**
   * Within the transaction, before anything is put: makes blocks of what the commit may need the file's own.
   * @throws Refusal store_full; the system's error.
   */
  reserve(): void {
    this.#file ??= openSync(this.#path, 'r+')
    this.#used = usedBytes(this.#file)
    const until = this.#used + Math.min(this.#needed, this.#options.reservedBytesMax)
    if (this.#reservedUntil >= until) return
    // Beyond a limit for the length of files the system would end the process.
    const longest = Math.max(fileBytes(this.#path), this.#reservedUntil) + this.#free
    if (until > longest || !this.#own(Math.max(this.#used, this.#reservedUntil), until)) {
      if (this.#grows) throw diskFull()
      return
    }
    this.#own(until, Math.min(until + AHEAD_BYTES, longest))
  }

  /** Writes zeros as far as there is room. True if there was room for all. @throws the system's other errors. */
  #own(from: number, until: number): boolean {
    try {
      for (let at = from; at < until; this.#reservedUntil = at)
        at += writeSync(this.#file as number, zeros, 0, Math.min(zeros.length, until - at), at)
      return true
    } catch (error) {
      if (!FULL_CODES.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      return false
    }
  }

  /** To be called after a commit that succeeded. */
  end(): void {
    this.#failed = false
    const before = this.#used
    this.#used = this.#file !== null && this.mayFail ? usedBytes(this.#file) : 0
    this.#grows = this.#used === 0 || this.#used > before
  }

  /** To be called after a commit that failed in the library. */
  failed(): void {
    writeFailed()
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
    this.#reservedUntil = this.#used = 0
    const probe = this.#probe
    this.#probe = null
    if (probe === null || --probe.users > 0) return
    closeSync(probe.file)
    probes.delete(this.#directory)
  }
}
