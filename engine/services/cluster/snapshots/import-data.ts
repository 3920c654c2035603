/**
 * The data of one process becomes the beginning of a cluster: a snapshot of each part, before the first record.
 *
 * Owns: making these snapshots. Leaves out: when the cluster begins (cluster-facts.ts), which writes its facts only
 * behind them.
 *
 * 1. The logs have no record yet. The positions in the data are of another log, if any (a backup of a cluster), and go.
 * 2. It may be done again after it was cut off: the data is the same, and nobody has it yet.
 */
import { randomBytes } from 'node:crypto'
import { Refusal } from '../../../errors.js'
import { POSITION, POSITION_TABLE } from '../../../runtime/log/catalog/logged-environment.js'
import type { SnapshotWorker } from '../../../runtime/log/snapshots/snapshot-threads.js'
import { positionIn } from '../../../runtime/log/snapshots/snapshot-work.js'
import { openUpgraded } from '../../../store/directory/upgrade.js'
import { openWhole } from '../../../store/directory/environments.js'
import { WriteBatch } from '../../../store/environment.js'
import type { SnapshotPart } from './snapshot-part.js'

/** Before any record. */
const NO_SEQUENCE = -1

export interface ImportDeps {
  readonly dataDir: string
  readonly node: string
  /** The shards in order, then the catalog. */
  readonly parts: readonly SnapshotPart[]
  readonly worker: Pick<SnapshotWorker, 'make'>
  told(what: string, details?: Readonly<Record<string, unknown>>): void
}

/** The caller holds the directory's lock. Rejects with Refusal data_dir_invalid, and LogUnavailable. */
export async function importData({ dataDir, node, parts, worker, told }: ImportDeps): Promise<void> {
  const { shards } = await openUpgraded(dataDir, parts.length - 1)
  if (shards !== parts.length - 1)
    throw new Refusal(
      'data_dir_invalid',
      `the data directory ${dataDir} has ${shards} shards, and the cluster is to have ${parts.length - 1}: ` +
        'set SERVICE_SHARDS on all nodes',
    )
  for (const { name, log } of parts)
    if ((await log.last()) > 0)
      throw new Refusal(
        'data_dir_invalid',
        `the log of ${name} has records of an earlier cluster: delete its streams, or use other NATS servers`,
      )
  for (const { name, environments, list } of parts) {
    const position = await positionIn(dataDir, name)
    if (position === null) continue
    if (position > 0) await forgetPosition(dataDir, name)
    const prefix = `${name}.${randomBytes(6).toString('hex')}`
    const ending = new Int32Array(new SharedArrayBuffer(4))
    const { sequence, files } = await worker.make({
      kind: 'make',
      dataDir,
      environments,
      prefix,
      ending,
      after: NO_SEQUENCE,
    })
    const isNew = await list.add({ sequence, madeAt: new Date().toISOString(), node, files })
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    // What was stored by a try that was cut off is as good. The objects of this one go with the next snapshot.
    if (isNew) told('the data of one process was imported', { part: name, bytes })
  }
}

async function forgetPosition(dataDir: string, name: string): Promise<void> {
  const environment = openWhole(dataDir, name)
  try {
    const batch = new WriteBatch()
    batch.delete(POSITION_TABLE, POSITION)
    environment.commit(batch)
  } finally {
    await environment.close()
  }
}
