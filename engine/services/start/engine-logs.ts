/** What an engine is given where it is the owner of the catalog in a cluster (services/cluster/). */
import type { CatalogLog } from '../../runtime/log/catalog/logged-environment.js'
import type { LoggedEntry } from '../../runtime/log/catalog/catalog-record.js'
import type { TurnLog } from '../../runtime/log/turn-log.js'
import type { IngestClock } from '../../runtime/ingest-clock.js'
import type { TurnRan } from '../../runtime/turn/turn-contract.js'
import type { DataLock } from '../../store/directory/data-lock.js'
import type { Environment } from '../../store/environment.js'
import type { JobReader, ReadableShards } from '../read/job-reader.js'

/** Who is told of the turns of shards, while there is an engine. */
export interface ShardListeners {
  failed?: ((what: string, error: unknown) => void) | undefined
  ran?: ((shard: number, ran: TurnRan) => void) | undefined
  /** A turn was committed that another node has run. */
  ranElsewhere?: ((shard: number) => void) | undefined
}

/** What a node has open already, and closes itself. */
export interface OpenedParts {
  readonly lock: DataLock
  readonly catalog: Environment
  readonly readers: readonly JobReader[]
  readonly shards: ReadableShards
  readonly clock: IngestClock
  readonly listeners: ShardListeners
}

export interface EngineLogs {
  /** Turns are appended here before they are run. Not used where the shards are open already. */
  readonly turns?: TurnLog
  /** Commits of the catalog are appended here before they are made, and rows of the ledger after. */
  readonly catalog: CatalogLog & { appendLedger(entries: readonly LoggedEntry[]): void }
  /** No message in the logs has a later time, microseconds. */
  readonly lastMicros: number
  /** Absent: the engine opens its data directory, and closes it. */
  readonly opened?: OpenedParts
}
