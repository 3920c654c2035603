/**
 * A backup: a directory with the files of a data directory as of one moment, and a list of them with their hashes. The
 * list is written last: a backup that has one is complete.
 *
 * Owns: the list, checking it, restoring. Leaves out: copying a store that is in use (backup/backup-thread.ts), the
 * name of an incomplete directory (partial-directory.ts).
 *
 * 1. Restoring overwrites nothing: the target must be empty.
 * 2. A list comes from outside: one that names no data directory, or a file twice, is damaged. What is no file is not
 *    opened, because reading a pipe never ends.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { isRefusal, Refusal } from '../../errors.js'
import { beginDirectory, finishDirectory } from './partial-directory.js'

export const BACKUP_LIST = 'backup.json'
const FORMAT = 1
const PIECE_BYTES = 1024 * 1024
/** Without these a directory is no data directory, and a start would make a new one. */
const NEEDED = ['catalog.mdb', 'format.json'] as const

export interface BackupFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

export interface BackupList {
  /** ISO 8601 UTC: the moment of the data. */
  readonly madeAt: string
  readonly files: readonly BackupFile[]
}

/** Writes the list of all files in the directory. */
export function writeList(path: string, madeAt: string): BackupList {
  const files = readdirSync(path)
    .filter((name) => name !== BACKUP_LIST)
    .sort()
    .map((name) => readThrough(join(path, name), name, null))
  const bytes = Buffer.from(JSON.stringify({ format: FORMAT, made_at: madeAt, files }, null, 2))
  const file = openSync(join(path, BACKUP_LIST), 'w', 0o600)
  writeSync(file, bytes)
  fsyncSync(file)
  closeSync(file)
  return { madeAt, files }
}

/** The list of a backup; null if the directory has none. @throws Refusal backup_refused if it cannot be read. */
export function readList(path: string): BackupList | null {
  if (sizeOf(join(path, BACKUP_LIST)) === undefined) return null
  try {
    const {
      format,
      made_at: madeAt,
      files,
    } = JSON.parse(readFileSync(join(path, BACKUP_LIST), 'utf8')) as Record<string, unknown>
    if (!Number.isInteger(format) || (format as number) < 1) throw new TypeError('no format')
    if (typeof madeAt !== 'string' || !Array.isArray(files) || !files.every(isBackupFile))
      throw new TypeError('no list')
    const names = new Set(files.map(({ name }) => name))
    if (names.size < files.length || !NEEDED.every((name) => names.has(name))) throw new TypeError('no data directory')
    if (format === FORMAT) return { madeAt, files: files.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })) }
  } catch {
    throw new Refusal('backup_refused', `${BACKUP_LIST} in ${path} is damaged`)
  }
  throw new Refusal('backup_refused', `the backup ${path} was made by a newer version`)
}

/** True for an entry of the list whose name cannot lead out of the directory. */
function isBackupFile(value: unknown): value is BackupFile {
  const { name, bytes, sha256 } = (value ?? {}) as Record<keyof BackupFile, unknown>
  return (
    typeof name === 'string' && /^\w[\w.-]*$/.test(name) && Number.isSafeInteger(bytes) && typeof sha256 === 'string'
  )
}

/** Files that differ from the list. `what` ends a sentence that begins with the name. */
export function compareWithList(
  path: string,
  { files }: BackupList,
): { readonly name: string; readonly what: string }[] {
  return files.flatMap(({ name, bytes, sha256 }) => {
    const size = sizeOf(join(path, name))
    if (size === undefined) return [{ name, what: 'is missing' }]
    if (size !== bytes) return [{ name, what: `has ${size} bytes; it had ${bytes} when the backup was made` }]
    return readThrough(join(path, name), name, null).sha256 === sha256
      ? []
      : [{ name, what: 'has changed since the backup was made' }]
  })
}

/**
 * Makes a data directory from a backup and checks every byte.
 * @throws Refusal backup_refused if the backup is damaged, `to` is not empty, or writing fails.
 */
export function restoreBackup(from: string, to: string): BackupList {
  const list = readList(from)
  if (list === null) throw new Refusal('backup_refused', `${from} is not a backup, or it is incomplete`)
  const partial = beginDirectory(to, from)
  try {
    for (const { name, sha256 } of list.files) {
      if (sizeOf(join(from, name)) === undefined)
        throw new Refusal('backup_refused', `${name} is missing in the backup ${from}`)
      if (readThrough(join(from, name), name, join(partial, name)).sha256 !== sha256) {
        throw new Refusal('backup_refused', `${name} in the backup ${from} has changed since the backup was made`)
      }
    }
    finishDirectory(partial)
    return list
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    throw isRefusal(error) ? error : new Refusal('backup_refused', (error as Error).message)
  }
}

/** The bytes of a file; undefined where there is none, or what is there is no file. */
function sizeOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true ? found.size : undefined
}

/** Reads a whole file, and copies it to `into` if that is not null. */
function readThrough(path: string, name: string, into: string | null): BackupFile {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
  const from = openSync(path, 'r')
  const to = into === null ? null : openSync(into, 'wx', 0o600)
  let bytes = 0
  try {
    for (let read = readSync(from, piece); read > 0; read = readSync(from, piece)) {
      hash.update(piece.subarray(0, read))
      if (to !== null) for (let at = 0; at < read; ) at += writeSync(to, piece, at, read - at)
      bytes += read
    }
    if (to !== null) fsyncSync(to)
  } finally {
    closeSync(from)
    if (to !== null) closeSync(to)
  }
  return { name, bytes, sha256: hash.digest('hex') }
}
