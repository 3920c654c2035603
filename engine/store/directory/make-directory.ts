/**
 * Makes a directory and those above it; and flushes what one has under which names.
 *
 * Not `mkdirSync` with `recursive`, which never ends where a directory that is there takes none (procfs, automount points): it
 * tries the parent and the child in turn, for ever.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** For its owner alone; one that is there stays as it is. @throws Error of the file system. */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || path === '' || existsSync(parent)) throw error
    makeDirectory(parent)
    mkdirSync(path, { mode: 0o700 })
  }
}

/** Names that were given or taken in the directory are on disk when this returns. @throws Error of the file system. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
