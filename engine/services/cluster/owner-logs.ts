/**
 * The logs of the catalog's owner: it writes the catalog's, and tells other nodes how far it is.
 *
 * Owns: the writer of one time of being the owner, and the answers to nodes that follow. Leaves out: how a node becomes
 * the owner (cluster-node.ts), the logs of shards (owners/).
 */
import { CatalogWriter } from '../../runtime/log/catalog/catalog-writer.js'
import { hearUses } from '../../runtime/log/jetstream/key-uses.js'
import { answerPositions } from '../../runtime/log/jetstream/owner-positions.js'
import type { EngineLogs } from '../start/engine-logs.js'
import type { ClusterLogs, ClusterOptions } from './cluster-logs.js'
import type { NodeData } from './node-data.js'
import type { Begun } from './standby.js'

export interface OwnerLogsDeps {
  readonly logs: ClusterLogs
  readonly address: ClusterOptions['address']
  readonly term: string
  readonly begun: Begun
  readonly data: NodeData
  /** The catalog's log takes no more: the reason. */
  lost(why: string): void
}

export class OwnerLogs {
  readonly #deps: OwnerLogsDeps
  readonly #catalog: CatalogWriter
  #ends: (() => void)[] = []

  constructor(deps: OwnerLogsDeps) {
    const { logs, address, term, begun, lost } = deps
    const { name, replicas } = logs
    this.#deps = deps
    const sharedTables = ['jobs', 'integrations', 'api_keys', 'users', 'tokens']
    const after = begun.catalog
    this.#catalog = new CatalogWriter({ address, name, replicas, after, writer: term, sharedTables, lost })
  }

  get ofEngine(): EngineLogs {
    const { begun, data } = this.#deps
    return { catalog: this.#catalog, lastMicros: begun.lastMicros, opened: data }
  }

  /** Sequence of the last change of the catalog. */
  get sequence(): number {
    return this.#catalog.sequence
  }

  /** Answers nodes that follow. `isOwner` is false where this node may not be the owner any more. */
  answer({ noteUses, isOwner }: { noteUses(ids: readonly string[]): void; isOwner(): boolean }): void {
    const { logs, term } = this.#deps
    const { connection, name } = logs
    this.#ends = [
      hearUses(connection, name, noteUses),
      answerPositions(connection, { name, term }, () =>
        isOwner() ? { shards: [], catalog: this.#catalog.sequence } : null,
      ),
    ]
  }

  /** Drops changes of the catalog from now on: this node is not the owner any more. */
  abandon(): void {
    this.#silence()
    this.#catalog.abandon()
  }

  async close(): Promise<void> {
    this.#silence()
    await this.#catalog.close()
  }

  #silence(): void {
    for (const end of this.#ends) end()
    this.#ends = []
  }
}
