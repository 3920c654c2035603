/**
 * The file with the secrets that the first start made: the service itself keeps only their hashes.
 *
 * 1. Only its owner may read it. It is on disk before the hashes are, so no failure of a start can lose them.
 * 2. The service never reads it. Whoever has put the secrets in a safe place deletes it.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../errors.js'
import { syncDirectory } from './make-directory.js'

export const FIRST_START_FILE = 'first-start-secrets'

/** Secrets that were generated; null where the settings gave one. */
export interface FirstStartSecrets {
  readonly adminPassword: string | null
  readonly managementKey: string | null
}

const HEAD =
  '# Made at the first start. Keep these secrets elsewhere, then delete this file: the service has only hashes.'
const PASSWORD = 'administrator password (user admin): '
const KEY = 'management key: '

export function firstStartPath(dataDir: string): string {
  return join(dataDir, FIRST_START_FILE)
}

/** Writes the file, flushed. One that an earlier, failed start left is replaced: its secrets never worked. */
export function writeFirstStart(dataDir: string, { adminPassword, managementKey }: FirstStartSecrets): void {
  const lines = [HEAD]
  if (adminPassword !== null) lines.push(`${PASSWORD}${adminPassword}`)
  if (managementKey !== null) lines.push(`${KEY}${managementKey}`)
  const path = firstStartPath(dataDir)
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  const file = openSync(draft, 'wx', 0o600)
  try {
    writeSync(file, `${lines.join('\n')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
  syncDirectory(dataDir)
}

/** What the file says. @throws Refusal data_dir_invalid where there is none. */
export function readFirstStart(dataDir: string): FirstStartSecrets {
  let lines: string[]
  try {
    lines = readFileSync(firstStartPath(dataDir), 'utf8').split('\n')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Refusal('data_dir_invalid', `${firstStartPath(dataDir)} cannot be read (${code})`)
  }
  const after = (head: string): string | null => lines.find((line) => line.startsWith(head))?.slice(head.length) ?? null
  return { adminPassword: after(PASSWORD), managementKey: after(KEY) }
}
