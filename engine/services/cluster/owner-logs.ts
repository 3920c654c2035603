/**
 * The logs of the owner: it writes all of them, and tells other nodes how far they are.
 *
 * Owns: the writers of one time of being the owner, and the answers to nodes that follow. Leaves out: how a node
 * becomes the owner (cluster-node.ts).
 */
import { CatalogWriter } from '../../runtime/log/catalog/catalog-writer.js'
import { clusteredLog, type ClusteredLog } from '../../runtime/log/clustered-log.js'
import { hearUses } from '../../runtime/log/jetstream/key-uses.js'
import { answerPositions, type Positions } from '../../runtime/log/jetstream/owner-positions.js'
import type { EngineLogs } from '../start/engine-logs.js'
import type { ClusterLogs, ClusterOptions } from './cluster-logs.js'
import type { Begun } from './standby.js'

export interface OwnerLogsDeps {
  readonly logs: ClusterLogs
  readonly address: ClusterOptions['address']
  readonly term: string
  readonly begun: Begun
  /** The catalog's log takes no more: the reason. */
  lost(why: string): void
}

export class OwnerLogs {
  readonly #deps: OwnerLogsDeps
  readonly #turns: ClusteredLog
  readonly #catalog: CatalogWriter
  #ends: (() => void)[] = []

  constructor(deps: OwnerLogsDeps) {
    const { logs, address, term, begun, lost } = deps
    const { name, replicas } = logs
    this.#deps = deps
    this.#turns = clusteredLog(logs.shards, term)
    this.#catalog = new CatalogWriter({ address, name, replicas, after: begun.positions.catalog, writer: term, lost })
  }

  get ofEngine(): EngineLogs {
    return { turns: this.#turns, catalog: this.#catalog, lastMicros: this.#deps.begun.lastMicros }
  }

  /** Of what the latest records of a shard's log wrote. */
  readonly sumsOf: ClusteredLog['sumsOf'] = (shard) => this.#turns.sumsOf(shard)

  /** Answers nodes that follow. `isOwner` is false where this node may not be the owner any more. */
  answer({ noteUses, isOwner }: { noteUses(ids: readonly string[]): void; isOwner(): boolean }): void {
    const { logs, term } = this.#deps
    const { connection, name } = logs
    this.#ends = [
      hearUses(connection, name, noteUses),
      answerPositions(connection, { name, term }, () => (isOwner() ? this.#positions() : null)),
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

  #positions(): Positions {
    const applied = this.#turns.applied()
    const shards = this.#deps.begun.positions.shards.map((begun, shard) => Math.max(begun, applied[shard] ?? 0))
    return { shards, catalog: this.#catalog.sequence }
  }
}
