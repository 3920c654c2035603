/**
 * The entry of the backup thread: copies a store that others write to, as it was at one moment.
 *
 * 1. The snapshots of all environments are taken between STILL and TAKEN, while nobody else commits (backups.ts).
 * 2. Copying is one synchronous walk, so that each environment is read from one snapshot.
 * 3. A store in use is copied piece by piece with rests: a backup is never urgent.
 * 4. Stores are copied entry by entry, so a backup is smaller than the store and has nothing that was deleted.
 * 5. A target that becomes full meanwhile is noticed before the native library meets it (free-space.ts).
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isoMicros, systemClock } from '../../clock.js'
import { Refusal } from '../../errors.js'
import { openDataDir, writeFormat } from '../../store/directory/data-dir.js'
import { openWhole } from '../../store/directory/environments.js'
import { writeList, type BackupList } from '../../store/directory/backup-files.js'
import { COPIED_BYTES } from '../../store/lmdb/lmdb-copy.js'
import { freeBytes } from '../../store/lmdb/free-space.js'
import { GIVEN_UP, READY, STILL, TAKEN } from './backup-steps.js'

export interface BackupTask {
  readonly dataDir: string
  /** The target, an existing and empty directory. */
  readonly into: string
  /** Whether the backup includes the key that seals the secrets of integrations. */
  readonly withKey: boolean
  /** One number (backup-steps.ts). */
  readonly steps: SharedArrayBuffer
}

/** How long the thread waits for the shards to hold still. */
const STILL_MS_MAX = 60_000
/** Free bytes needed before a piece is written: the piece, and the pages that it begins. */
const ROOM_BYTES_MIN = 2 * COPIED_BYTES
/** Longest rest between two pieces of a store in use. */
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
    // The step is STILL from the start where nobody uses the store.
    const mustWait = Atomics.compareExchange(steps, 0, 0, READY) === 0
    if (mustWait && Atomics.wait(steps, 0, READY, STILL_MS_MAX) === 'timed-out')
      throw new Error('the shards did not hold still')
    for (const { store } of stores) store.takeSnapshot()
    madeAt = isoMicros(systemClock.nowMicros())
    Atomics.compareExchange(steps, 0, STILL, TAKEN)
    let begin = performance.now()
    const mayGoOn = (): void => {
      // Rest as long as the work took: a disk knows no priorities.
      if (mustWait) Atomics.wait(steps, 0, TAKEN, Math.min(REST_MS_MAX, performance.now() - begin))
      if (Atomics.load(steps, 0) === GIVEN_UP) throw new Refusal('draining', 'the service is shutting down')
      if (freeBytes(into) < ROOM_BYTES_MIN)
        throw new Refusal('backup_refused', 'there is no room left in the directory of the backup')
      begin = performance.now()
    }
    for (const { name, store } of stores) entries += store.copyTo(into, name, mayGoOn)
  } finally {
    for (const { store } of stores) await store.close()
  }
  for (const name of names) rmSync(join(into, `${name}.mdb-lock`), { force: true })
  // Copies have checksums even where the originals have none.
  writeFormat({ ...openDataDir(dataDir, 0, false), path: into })
  const key = join(dataDir, 'sealing.key')
  if (withKey && existsSync(key))
    writeFileSync(join(into, 'sealing.key'), readFileSync(key), { mode: 0o600, flush: true })
  return { list: writeList(into, madeAt), entries }
}
