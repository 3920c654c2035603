/**
 * A directory that gets its name when it is complete, and not before: a backup, or a restored data directory.
 *
 * Owns: its partial name until then. Leaves out: what is in it.
 *
 * 1. Each attempt has its own partial name. If two processes make the same directory, the first to finish gets the
 *    name, and the other is refused.
 * 2. A killed process leaves its partial directory behind. The next attempt at that name deletes it, once nothing was
 *    written in it for an hour.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, realpathSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isRefusal, Refusal } from '../../errors.js'
import { makeDirectory, syncDirectory } from './make-directory.js'

const PARTIAL = /(\.[0-9a-f]{8})?\.partial$/
const ABANDONED_MS = 3_600_000

/** True for the name of a partial directory. */
export function isPartial(name: string): boolean {
  return PARTIAL.test(name)
}

/**
 * Makes the directory under a partial name, and returns its path. An existing empty directory is replaced first: a
 * mount point cannot be, and is refused before anything is copied. `source` is the directory that is copied.
 *
 * @throws Refusal backup_refused, also if the directory exists and is not empty, or lies inside `source`.
 */
export function beginDirectory(path: string, source: string): string {
  try {
    if (liesInside(path, source))
      throw new Refusal('backup_refused', `${path} lies inside ${source}, which is copied; name a place outside of it`)
    // The partial name lies beside the directory, also if the path ends with a slash, is `.`, or is a link.
    const place = existsSync(path) ? realpathSync(path) : resolve(path)
    if (existsSync(place)) {
      if (readdirSync(place).length > 0) throw new Refusal('backup_refused', `${path} exists and is not empty`)
      rmdirSync(place)
      makeDirectory(place)
    }
    const partial = `${place}.${randomBytes(4).toString('hex')}.partial`
    makeDirectory(partial)
    deleteAbandoned(place)
    return partial
  } catch (error) {
    if (isRefusal(error)) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'EBUSY' ? 'something is mounted there; name a directory inside it' : message
    throw new Refusal('backup_refused', `${path} cannot be made: ${why}`)
  }
}

/**
 * Gives a directory made by beginDirectory its name, and replaces an empty one of that name.
 * @throws Refusal backup_refused if there is one that is not empty.
 */
export function finishDirectory(partial: string): void {
  const place = partial.replace(PARTIAL, '')
  syncDirectory(partial)
  try {
    // Windows does not rename onto an empty directory.
    if (process.platform === 'win32' && existsSync(place)) rmdirSync(place)
    renameSync(partial, place)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    throw new Refusal('backup_refused', `${place} exists and is not empty`)
  }
  syncDirectory(dirname(partial))
}

/** Compares directories, not their names: a link or a second mount of `source` is found too. */
function liesInside(path: string, source: string): boolean {
  const { dev, ino } = statSync(source)
  let above = resolve(path)
  while (!existsSync(above)) above = dirname(above)
  above = realpathSync(above)
  for (;;) {
    const at = statSync(above)
    if (at.dev === dev && at.ino === ino) return true
    if (above === dirname(above)) return false
    above = dirname(above)
  }
}

/** Deletes partial directories that killed processes have left. */
function deleteAbandoned(place: string): void {
  const folder = dirname(place)
  for (const name of readdirSync(folder)) {
    if (!isPartial(name) || name.replace(PARTIAL, '') !== basename(place)) continue
    if (lastWrittenMs(join(folder, name)) < Date.now() - ABANDONED_MS)
      rmSync(join(folder, name), { recursive: true, force: true })
  }
}

function lastWrittenMs(directory: string): number {
  try {
    return Math.max(
      ...[directory, ...readdirSync(directory).map((name) => join(directory, name))].map(
        (path) => statSync(path).mtimeMs,
      ),
    )
  } catch {
    // It was renamed or deleted just now.
    return Number.POSITIVE_INFINITY
  }
}
