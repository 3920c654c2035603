/**
 * The data directory: what is in it, and who may use it.
 *
 * Owns: its format and its own key. Leaves out: the lock (whoever calls holds it), opening what is in it (environments.ts).
 *
 * | file             | what                                                               |
 * |------------------|--------------------------------------------------------------------|
 * | format.json      | version of the directory's format, number of shards; written once  |
 * | sealing.key      | what the secrets of integrations are sealed with; written once     |
 * | catalog.mdb      | jobs, integrations, keys, users, trainings, watchdogs, the audit log |
 * | shard-N.mdb      | events, buckets, ballots, models, counters of the jobs in shard N  |
 * | integrations.mdb | how far steps that take events out are; what they could not deliver   |
 * | lock.sock        | the lock: a socket that the process which owns the directory holds |
 * | lock-*.sock      | the same of a process that is about to take it (lock-turn.ts)      |
 *
 * 1. A directory of a newer format is refused (D11).
 * 2. The number of shards is fixed when the directory is made: a job stays where its events are.
 */
import { randomBytes } from 'node:crypto'
import { accessSync, constants, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { makeDirectory, syncDirectory } from './make-directory.js'
import { mustBeWhole } from './whole-files.js'

/** The format that this code writes and reads. */
export const DATA_FORMAT = 1

export interface DataDir {
  readonly path: string
  readonly shards: number
  /** True where this call made it. */
  readonly fresh: boolean
}

/** Makes the directory where there is none; what is in it is for whoever holds its lock. @throws Refusal data_dir_invalid. */
export function makeDataDir(path: string): void {
  try {
    makeDirectory(path)
  } catch (error) {
    throw new Refusal('data_dir_invalid', `the data directory ${path} cannot be made: ${(error as Error).message}`)
  }
}

/**
 * Opens a data directory, or makes what is in it with `shards` shards where there is nothing. The caller holds the lock.
 * Files that are cut off are looked for where `mustBeSound`.
 * @throws Refusal data_dir_newer, data_dir_invalid.
 */
export function openDataDir(path: string, shards: number, mustBeSound = true): DataDir {
  const file = join(path, 'format.json')
  if (!existsSync(file)) {
    if (!isCount(shards, limits.shardsMax)) {
      throw new Refusal(
        'data_dir_invalid',
        `a data directory has 1 to ${limits.shardsMax} shards; asked for are ${shards}`,
      )
    }
    if (readdirSync(path).some((name) => name.endsWith('.mdb') && name.startsWith('shard-'))) {
      throw new Refusal(
        'data_dir_invalid',
        `the data directory ${path} has shards but no format.json; it is incomplete`,
      )
    }
    try {
      writeFormat(path, shards)
    } catch (error) {
      throw new Refusal('data_dir_invalid', `the data directory ${path} cannot be written: ${(error as Error).message}`)
    }
    return { path, shards, fresh: true }
  }
  const { format, shards: count } = readFormat(path, file)
  if (format > DATA_FORMAT) {
    throw new Refusal(
      'data_dir_newer',
      `the data directory ${path} has format ${format}, made by a newer version; this one reads format ${DATA_FORMAT}`,
    )
  }
  mustBeUsable(path)
  if (mustBeSound) mustBeWhole(path)
  return { path, shards: count, fresh: false }
}

/** Files of another user, as a command that was run by one leaves them, are said by name. */
function mustBeUsable(path: string): void {
  for (const name of readdirSync(path)) {
    if (!/\.mdb(-lock)?$/.test(name)) continue
    try {
      accessSync(join(path, name), constants.R_OK | constants.W_OK)
    } catch (error) {
      throw new Refusal(
        'data_dir_invalid',
        `${name} in the data directory ${path} cannot be used: ${(error as Error).message}`,
      )
    }
  }
}

function readFormat(path: string, file: string): { format: number; shards: number } {
  try {
    const { format, shards } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    if (isCount(format) && isCount(shards, limits.shardsMax)) return { format, shards }
  } catch {
    // Said below.
  }
  throw new Refusal('data_dir_invalid', `format.json in the data directory ${path} is not readable as a format`)
}

function isCount(value: unknown, max: number = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max
}

const SEALING_KEY_BYTES = 32

/**
 * The key that secrets are sealed with (S19): in a file of its own, outside the database, made where there is none. The
 * caller holds the lock. @throws Refusal data_dir_invalid.
 */
export function sealingKey(path: string): Uint8Array {
  const file = join(path, 'sealing.key')
  try {
    if (!existsSync(file)) writeWhole(file, randomBytes(SEALING_KEY_BYTES).toString('hex'))
    const key = Buffer.from(readFileSync(file, 'latin1').trim(), 'hex')
    if (key.length === SEALING_KEY_BYTES) return key
  } catch (error) {
    throw new Refusal('data_dir_invalid', `sealing.key in the data directory ${path}: ${(error as Error).message}`)
  }
  throw new Refusal(
    'data_dir_invalid',
    `sealing.key in the data directory ${path} is not a key of 64 hexadecimal digits`,
  )
}

/** Says of a directory whose files were all copied what they are now. */
export function writeFormat(path: string, shards: number): void {
  writeWhole(join(path, 'format.json'), JSON.stringify({ format: DATA_FORMAT, shards }))
}

/** A file is there whole or not at all, after a power cut too. */
function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  syncDirectory(dirname(file))
}
