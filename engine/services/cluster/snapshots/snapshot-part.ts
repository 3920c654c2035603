/** What a snapshot is of: a shard, or the catalog with the ledger of integrations. Each has a log of its own. */
import type { SnapshotList } from '../../../runtime/log/snapshots/snapshot-list.js'
import type { RecordLog } from '../../../runtime/log/turn-log.js'

/** `follows`: this node keeps a copy. `writes`: it is the writer of the log. `none`: its files are not open. */
export type PartRole = 'follows' | 'writes' | 'none'

export interface SnapshotPart {
  /** `shard-3`, or `catalog`. */
  readonly name: string
  /** Its environments; the first has the position in the log. */
  readonly environments: readonly string[]
  readonly log: RecordLog
  readonly list: SnapshotList
}

/** When a snapshot is made. */
export interface SnapshotSettings {
  /** Records of the log behind the newest snapshot. */
  readonly records: number
  /** Their bytes. */
  readonly bytes: number
}

/** A snapshot of 128 MB of events is restored and the rest is applied in seconds. */
export const SNAPSHOT_DEFAULTS: SnapshotSettings = { records: 50_000, bytes: 128 * 1024 ** 2 }
