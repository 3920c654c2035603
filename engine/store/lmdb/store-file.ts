/**
 * The files of an environment from outside: looked at before the native library opens them; and what becomes of its failures.
 */
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../errors.js'
import { MAGIC, META_PAGE_BYTES } from '../pages/page-file.js'
import { tableNames } from '../pages/page-walk.js'
import { diskFull, freeBytes, tryRoom } from './free-space.js'

export const PAGE_BYTES = META_PAGE_BYTES

/** Where its files have LMDB's mark. */
const MAGIC_AT = 24

/**
 * The native library takes the process down over a file that is not one of its own, and over a disk that is full when it
 * makes one, so both are looked at first. A file that is shorter than the two pages it begins with was cut off when it
 * was made, and has never held anything.
 */
export function lookAtFiles(path: string): void {
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 }
  const isCutOff = size < 2 * PAGE_BYTES
  if (isCutOff || !existsSync(`${path}-lock`)) tryRoom(`${path}.room`)
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

/** Error numbers of a full disk or map: ENOSPC, EFBIG, EDQUOT, MDB_MAP_FULL. */
const FULL_CODES = new Set([28, 27, 122, -30792])

/** A write that a full disk cuts short surfaces as EIO, so the disk itself is asked how much room it has. */
const ROOM_BYTES_MIN = 4 * 1024 ** 2

/** What a failure of the library becomes. */
export function storeRefusal(error: unknown, path: string): Error {
  const code = (error as { code?: unknown }).code
  const text = error instanceof Error ? error.message : String(error)
  const full = (typeof code === 'number' && FULL_CODES.has(code)) || /no space|too large|quota|mapsize/i.test(text)
  if (full || freeBytes(path) < ROOM_BYTES_MIN) return diskFull()
  return new Refusal('store_failed', 'the store could not write; nothing was stored', { details: text })
}

/** The names of an environment's tables, as they are in its file. @throws Refusal data_dir_invalid. */
export function tablesOf(dir: string, name: string): string[] {
  const path = join(dir, `${name}.mdb`)
  try {
    return tableNames(path)
  } catch (error) {
    throw new Refusal('data_dir_invalid', `${path} is damaged: ${(error as Error).message}`)
  }
}
