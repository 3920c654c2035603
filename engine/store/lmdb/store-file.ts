/**
 * Checks an environment's files before the native library opens them, and turns the library's failures into refusals.
 */
import { closeSync, existsSync, linkSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { Refusal } from '../../errors.js'
import { MAGIC, META_PAGE_BYTES } from '../pages/page-file.js'
import { tableNames } from '../pages/page-walk.js'
import { diskFull, freeBytes, tryRoom } from './free-space.js'

export const PAGE_BYTES = META_PAGE_BYTES

/** Where LMDB's magic number lies in a file. */
const MAGIC_AT = 24

/**
 * Checks that the file is one of the store's and, for a new one, that there is room: otherwise the native library would
 * end the process. A file shorter than its two meta pages was cut off while it was made. It never held anything and is
 * deleted.
 *
 * @throws Refusal data_dir_invalid; the system's error if there is no room.
 */
export function checkFiles(path: string): void {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 }
  const isCutOff = size < 2 * PAGE_BYTES
  if (isCutOff) tryRoom(`${path}.room`)
  if (!existsSync(`${path}-lock`)) makeLockFile(`${path}-lock`)
  if (isCutOff) return rmSync(path, { force: true })
  const file = openSync(path, 'r')
  const start = Buffer.alloc(MAGIC_AT + 4)
  readSync(file, start)
  closeSync(file)
  if (start.readUInt32LE(MAGIC_AT) !== MAGIC) {
    throw new Refusal(
      'data_dir_invalid',
      `${path} is not a file of the store; it was changed or overwritten by something else`,
    )
  }
}

/** As long as the library makes it, in whole pages. */
const LOCK_BYTES = 12 * 1024

/**
 * Makes the library's lock file with all of its blocks. The library would leave holes, write to them in mapped memory,
 * and end the process if the disk is full then.
 */
function makeLockFile(path: string): void {
  const made = `${path}-${process.pid}-${threadId}`
  try {
    writeFileSync(made, Buffer.alloc(LOCK_BYTES), { mode: 0o664 })
    linkSync(made, path)
  } catch (error) {
    // Another thread was first, or the file system has no links.
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EROFS' || code === 'EDQUOT') throw error
  } finally {
    rmSync(made, { force: true })
  }
}

/** Error numbers of a full disk or map: ENOSPC, EFBIG, EDQUOT, MDB_MAP_FULL. */
const FULL_CODES = new Set([28, 27, 122, -30792])

/** A write that a full disk cuts short is reported as EIO. With less room than this it counts as a full disk. */
const ROOM_BYTES_MIN = 4 * 1024 ** 2

/** The refusal for a failure of the library. */
export function storeRefusal(error: unknown, path: string): Error {
  const code = (error as { code?: unknown }).code
  const text = error instanceof Error ? error.message : String(error)
  const full = (typeof code === 'number' && FULL_CODES.has(code)) || /no space|too large|quota|mapsize/i.test(text)
  if (/read-only/i.test(text))
    return new Refusal('store_failed', 'the file system of the data directory is read-only; nothing was stored')
  if (full || freeBytes(path) < ROOM_BYTES_MIN) return diskFull()
  return new Refusal('store_failed', 'the store could not write; nothing was stored', { details: text })
}

/** The names of an environment's tables, read from its file. @throws Refusal data_dir_invalid. */
export function tablesOf(dir: string, name: string): string[] {
  const path = join(dir, `${name}.mdb`)
  try {
    return tableNames(path)
  } catch (error) {
    throw new Refusal('data_dir_invalid', `${path} is damaged: ${(error as Error).message}`)
  }
}
