/**
 * A directory that appears under its name when it is whole, and not before: a backup, or what is restored of one.
 *
 * Owns: the name beside it that it has until then. Leaves out: what is in it.
 *
 * 1. Each attempt has a name of its own: of two at the same place, in whichever processes, the one that is whole first gets it, and the
 *    other finds that something is there.
 * 2. What a process left that was killed is taken away by the next attempt at that place, once nothing was written there for an hour.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, realpathSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isRefusal, Refusal } from '../../errors.js'
import { makeDirectory, syncDirectory } from './make-directory.js'

const PARTIAL = /(\.[0-9a-f]{8})?\.partial$/
const LEFT_MS = 3_600_000

/** The name is one of a directory that is not whole. */
export function isPartial(name: string): boolean {
  return PARTIAL.test(name)
}

/**
 * Makes the directory under another name, for what is not whole yet, and returns that. An empty one that is there is made anew at
 * once, so that one that cannot be replaced (a mount point) is told before anything is copied.
 * @throws Refusal backup_refused, also where there is something.
 */
export function beginDirectory(path: string): string {
  try {
    // Beside it, also where the path ends with a slash, is `.`, or leads there by a link.
    const place = existsSync(path) ? realpathSync(path) : resolve(path)
    if (existsSync(place)) {
      if (readdirSync(place).length > 0) throw new Refusal('backup_refused', `${path} is there and not empty`)
      rmdirSync(place)
      makeDirectory(place)
    }
    const partial = `${place}.${randomBytes(4).toString('hex')}.partial`
    makeDirectory(partial)
    forgetLeft(place)
    return partial
  } catch (error) {
    if (isRefusal(error)) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'EBUSY' ? 'something is mounted there; name a directory inside of it' : message
    throw new Refusal('backup_refused', `${path} cannot be made: ${why}`)
  }
}

/** Gives the directory that beginDirectory made its name, in the place of an empty one. @throws Refusal backup_refused where it is not empty. */
export function finishDirectory(partial: string): void {
  const place = partial.replace(PARTIAL, '')
  syncDirectory(partial)
  try {
    renameSync(partial, place)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
    throw new Refusal('backup_refused', `${place} is there and not empty`)
  }
  syncDirectory(dirname(partial))
}

/** Takes away what others have left that were killed. */
function forgetLeft(place: string): void {
  const folder = dirname(place)
  for (const name of readdirSync(folder)) {
    if (!isPartial(name) || name.replace(PARTIAL, '') !== basename(place)) continue
    if (lastWrittenMs(join(folder, name)) < Date.now() - LEFT_MS)
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
    // It has become whole, or was given up, just now.
    return Number.POSITIVE_INFINITY
  }
}
