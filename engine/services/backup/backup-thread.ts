/**
 * The entry of the thread that makes backups: copies a store that others write to, as it was at one moment.
 *
 * 1. The snapshots of all environments are taken between STILL and TAKEN, while nobody else commits (backups.ts).
 * 2. Everything behind that is one synchronous walk, so that each environment is read from one snapshot.
 * 3. Of a service that is in use, it is copied piece by piece with rests: a backup is never urgent.
 * 4. What is copied is copied entry by entry: a backup is smaller than the store, and holds nothing that was deleted.
 * 5. Where the place becomes full meanwhile, that is seen before the native library does (free-space.ts).
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isoMicros, systemClock } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { GIVEN_UP, READY, STILL, TAKEN } from './backup-steps.js'
import { openDataDir, writeFormat } from '../../store/directory/data-dir.js'
import { openWhole } from '../../store/directory/environments.js'
import { writeList, type BackupList } from '../../store/directory/backup-files.js'
import { COPIED_BYTES } from '../../store/lmdb/lmdb-copy.js'
import { freeBytes } from '../../store/lmdb/free-space.js'

export interface BackupTask {
  readonly dataDir: string
  /** Where to; it is there, and empty. */
  readonly into: string
  /** Whether the key that secrets of integrations are sealed with is in it. */
  readonly withKey: boolean
  /** One number: how far it is. */
  readonly steps: SharedArrayBuffer
}

/** After this long somebody else has failed. */
const STILL_MS_MAX = 60_000
/** What has to be free before a piece is written: its bytes, and the pages that it begins. */
const ROOM_BYTES_MIN = 2 * COPIED_BYTES
/** Between two pieces of a service that is used. */
const REST_MS_MAX = 1_000

export interface BackupDone {
  readonly list: BackupList
  readonly entries: number
}

export default async function makeBackup({ dataDir, into, withKey, steps: memory }: BackupTask): Promise<BackupDone> {
  const names = readdirSync(dataDir)
    .filter((name) => name.endsWith('.mdb'))
    .map((name) => name.slice(0, -'.mdb'.length))
  const stores = names.map((name) => ({ name, store: openWhole(dataDir, name) }))
  let entries = 0
  let madeAt = ''
  try {
    const steps = new Int32Array(memory)
    // STILL from the start: nobody uses the store.
    const mustWait = Atomics.compareExchange(steps, 0, 0, READY) === 0
    if (mustWait && Atomics.wait(steps, 0, READY, STILL_MS_MAX) === 'timed-out')
      throw new Error('the shards did not hold still')
    for (const { store } of stores) store.takeSnapshot()
    madeAt = isoMicros(systemClock.nowMicros())
    Atomics.compareExchange(steps, 0, STILL, TAKEN)
    let begin = performance.now()
    const mayGoOn = (): void => {
      // As long a rest as the work was: the disk is everybody's, and a low priority does not say so to it.
      if (mustWait) Atomics.wait(steps, 0, TAKEN, Math.min(REST_MS_MAX, performance.now() - begin))
      if (Atomics.load(steps, 0) === GIVEN_UP) throw new Refusal('draining', 'the service is shutting down')
      if (freeBytes(into) < ROOM_BYTES_MIN)
        throw new Refusal('backup_refused', 'there is no room left where the backup should go')
      begin = performance.now()
    }
    for (const { name, store } of stores) entries += store.copyTo(into, name, mayGoOn)
  } finally {
    for (const { store } of stores) await store.close()
  }
  for (const name of names) rmSync(join(into, `${name}.mdb-lock`), { force: true })
  // Copies have checksums, also of files that have none.
  writeFormat(into, openDataDir(dataDir, 0, false).shards)
  const key = join(dataDir, 'sealing.key')
  if (withKey && existsSync(key))
    writeFileSync(join(into, 'sealing.key'), readFileSync(key), { mode: 0o600, flush: true })
  return { list: writeList(into, madeAt), entries }
}
