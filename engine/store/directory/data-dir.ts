/**
 * The data directory and its files.
 *
 * Owns: the format, the sealing key. Leaves out: the lock, which the caller holds (data-lock.ts), and opening the
 * environments (environments.ts).
 *
 * | file             | what                                                               |
 * |------------------|--------------------------------------------------------------------|
 * | format.json      | version of the directory's format, number of shards; written once  |
 * | sealing.key      | key that seals the secrets of integrations; written once           |
 * | catalog.mdb      | jobs, integrations, keys, users, trainings, watchdogs, the audit log |
 * | shard-N.mdb      | events, buckets, ballots, models, counters of the jobs in shard N  |
 * | integrations.mdb | the ledger: progress of outputs, failed deliveries                 |
 * | first-start-secrets | generated secrets, until somebody deletes it (first-start-file.ts) |
 * | lock.sock        | the lock: a socket of the process that owns the directory          |
 * | lock-*.sock      | a claim of a process that is about to take it (lock-claim.ts)      |
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
export const DATA_FORMAT = 3

export interface DataDir {
  readonly path: string
  readonly shards: number
  /** At most DATA_FORMAT; a service upgrades an earlier one (upgrade.ts). */
  readonly format: number
  /** True where this call made it. */
  readonly fresh: boolean
}

/** Makes the directory if it does not exist; its files need the lock. @throws Refusal data_dir_invalid. */
export function makeDataDir(path: string): void {
  try {
    makeDirectory(path)
  } catch (error) {
    throw new Refusal('data_dir_invalid', `the data directory ${path} cannot be made: ${(error as Error).message}`)
  }
}

/**
 * Opens a data directory, or fills an empty one, with `shards` shards. The caller holds the lock. With `mustBeSound`,
 * files that are cut off are refused.
 * @throws Refusal data_dir_newer, data_dir_invalid.
 */
export function openDataDir(path: string, shards: number, mustBeSound = true): DataDir {
  const file = join(path, 'format.json')
  if (!existsSync(file)) {
    if (!isCount(shards, limits.shardsMax)) {
      throw new Refusal('data_dir_invalid', `a data directory has 1 to ${limits.shardsMax} shards, not ${shards}`)
    }
    if (readdirSync(path).some((name) => name.endsWith('.mdb') && name.startsWith('shard-'))) {
      throw new Refusal(
        'data_dir_invalid',
        `the data directory ${path} has shards but no format.json; it is incomplete`,
      )
    }
    try {
      writeFormat({ path, format: DATA_FORMAT, shards })
    } catch (error) {
      throw new Refusal('data_dir_invalid', `the data directory ${path} cannot be written: ${(error as Error).message}`)
    }
    return { path, shards, format: DATA_FORMAT, fresh: true }
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
  return { path, shards: count, format, fresh: false }
}

/** Refuses files that this user may not read and write, for example after a command that root ran. */
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
    // Refused below.
  }
  throw new Refusal('data_dir_invalid', `format.json in the data directory ${path} cannot be read`)
}

function isCount(value: unknown, max: number = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max
}

const SEALING_KEY_BYTES = 32

/**
 * The key that secrets are sealed with (S19). It has its own file outside the database and is made if there is none.
 * The caller holds the lock. @throws Refusal data_dir_invalid.
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

/** Writes format.json: the last step when a directory is made, filled by a copy, or upgraded. */
export function writeFormat({ path, format, shards }: Omit<DataDir, 'fresh'>): void {
  writeWhole(join(path, 'format.json'), JSON.stringify({ format, shards }))
}

/** After a power cut, too, the file is complete or does not exist. */
function writeWhole(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  syncDirectory(dirname(file))
}
