/** The logs that an engine writes where it is the owner in a cluster (services/cluster/). */
import type { CatalogLog } from '../../runtime/log/catalog/logged-environment.js'
import type { LoggedEntry } from '../../runtime/log/catalog/catalog-record.js'
import type { TurnLog } from '../../runtime/log/turn-log.js'

export interface EngineLogs {
  /** Turns are appended here before they are run. */
  readonly turns: TurnLog
  /** Commits of the catalog are appended here before they are made, and rows of the ledger after. */
  readonly catalog: CatalogLog & { appendLedger(entries: readonly LoggedEntry[]): void }
  /** No message in the logs has a later time, microseconds. */
  readonly lastMicros: number
}
