/** The files of an environment, looked at before the native library opens them. */
import { closeSync, existsSync, openSync, readSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Refusal } from '../errors.js'

export const PAGE_BYTES = 8192

/** LMDB's mark, and where its files have it. */
const MAGIC = 0xbeefc0de
const MAGIC_AT = 24

/** What the files of a new environment take. */
const NEW_BYTES = 64 * 1024

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
    throw new Refusal('data_dir_invalid', `${path} is not a file of the store; it was changed or overwritten by something else`)
  }
}

/** @throws what the system says where there is no room for a new file. */
export function tryRoom(path: string): void {
  try {
    writeFileSync(path, Buffer.alloc(NEW_BYTES), { flush: true })
  } finally {
    rmSync(path, { force: true })
  }
}
