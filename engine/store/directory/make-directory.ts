/**
 * Makes directories, and flushes the names in one.
 *
 * `mkdirSync` with `recursive` is not used: it tries parent and child in turn, and never returns where a directory
 * allows no new ones (procfs, automount points).
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory and those above it, for the owner alone. An existing one is kept. When this returns, the names of
 * new ones are on disk, unless the directory above may not be read. @throws Error of the system.
 */
export function makeDirectory(path: string): void {
  try {
    makeOne(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    const parent = dirname(path)
    if (code !== 'ENOENT' || path === '' || existsSync(parent)) throw error
    makeDirectory(parent)
    makeOne(path)
  }
}

function makeOne(path: string): void {
  mkdirSync(path, { mode: 0o700 })
  try {
    syncDirectory(dirname(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
  }
}

/** When this returns, names added to or removed from the directory are on disk. @throws Error of the system. */
export function syncDirectory(path: string): void {
  // Windows cannot flush a directory. Its file system has a journal of names.
  if (process.platform === 'win32') return
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
