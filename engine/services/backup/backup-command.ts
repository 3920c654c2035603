/**
 * Backups for a person on the machine: made by the service that owns the data directory, or by this process where none
 * runs.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal, refusals, type RefusalCode } from '../../errors.js'
import type { BackupReport } from '../../api/backup-service.js'
import { openDataDir } from '../../store/directory/data-dir.js'
import { lockDataDir } from '../../store/directory/data-lock.js'
import { callOwner } from '../../store/directory/directory-call.js'
import { beginDirectory, finishDirectory } from '../../store/directory/partial-directory.js'
import { STILL } from './backup-steps.js'
import makeBackup from './backup-thread.js'
import type { Backups } from './backups.js'

interface BackupRequest {
  readonly backup: string
  readonly withKey: boolean
}

type Answer = BackupReport | { readonly code: string; readonly error: string }

/** Answers a request on the service's side. Faults are in the answer. */
export async function answerBackup(backups: Backups, request: string): Promise<string> {
  let answer: Answer
  try {
    const { backup, withKey } = JSON.parse(request) as Partial<BackupRequest>
    if (typeof backup !== 'string' || typeof withKey !== 'boolean') throw new Refusal('invalid_body', 'unknown request')
    answer = await backups.make(backup, withKey)
  } catch (error) {
    answer = { code: error instanceof Refusal ? error.code : 'store_failed', error: (error as Error).message }
  }
  return JSON.stringify(answer)
}

/**
 * Makes a backup in `directory`, an absolute path. Rejects with Refusal data_dir_invalid, backup_refused and others.
 */
export async function backupDataDir(dataDir: string, directory: string, withKey: boolean): Promise<BackupReport> {
  if (!existsSync(join(dataDir, 'format.json')))
    throw new Refusal('data_dir_invalid', `there is no data directory at ${dataDir}`)
  const request: BackupRequest = { backup: directory, withKey }
  const line = await callOwner(dataDir, JSON.stringify(request))
  if (line === null) return await backupUnused(dataDir, directory, withKey)
  const answer = JSON.parse(line) as Answer
  if (!('error' in answer)) return answer
  throw new Refusal(Object.hasOwn(refusals, answer.code) ? (answer.code as RefusalCode) : 'store_failed', answer.error)
}

/** Locks a directory that nobody uses, and copies it here. */
async function backupUnused(dataDir: string, directory: string, withKey: boolean): Promise<BackupReport> {
  const lock = await lockDataDir(dataDir)
  const begin = performance.now()
  let partial: string | null = null
  try {
    partial = beginDirectory(directory, dataDir)
    openDataDir(dataDir, 0)
    const steps = new Int32Array(new SharedArrayBuffer(4)).fill(STILL)
    const { list, entries } = await makeBackup({
      dataDir,
      into: partial,
      withKey,
      steps: steps.buffer as SharedArrayBuffer,
    })
    finishDirectory(partial)
    const bytes = list.files.reduce((sum, file) => sum + file.bytes, 0)
    return {
      directory,
      madeAt: list.madeAt,
      files: list.files.length,
      entries,
      bytes,
      seconds: (performance.now() - begin) / 1000,
    }
  } catch (error) {
    if (partial !== null) rmSync(partial, { recursive: true, force: true })
    throw error
  } finally {
    await lock.release()
  }
}
