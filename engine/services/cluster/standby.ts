/**
 * A node that does not own the catalog: it follows the catalog's log, and answers reads from its copies.
 *
 * Owns: the copy of the catalog, and the end of following, where this node becomes its owner. Leaves out: when that is
 * (cluster-node.ts), the shards (node-data.ts), the services over the copies (copy-service.ts).
 *
 * 1. Nothing here writes anything that is not in a log.
 * 2. Before it becomes the owner it begins as the writer of the catalog's log. From then on the owner before it is
 *    refused, and the catalog here is complete. Then it waits until it has all shards as far as that owner had them.
 */
import { systemClock } from '../../clock.js'
import type { EngineOptions } from '../../options.js'
import { CatalogFollower } from '../../runtime/log/catalog/catalog-follower.js'
import { LogUnavailable, type RecordLog } from '../../runtime/log/turn-log.js'
import { isMade } from '../../store/directory/whole-files.js'
import { LEDGER, watermarkOf } from '../verify/watermarks.js'
import { CopyService } from './copy-service.js'
import type { NodeData } from './node-data.js'

export interface StandbyDeps {
  readonly options: Pick<EngineOptions, 'name' | 'clock'>
  readonly data: NodeData
  /** One for each shard. */
  readonly logs: readonly RecordLog[]
  readonly catalogLog: RecordLog
  /** Told where following the catalog has stopped for good. */
  stopped(error: unknown): void
  failed(what: string, error: unknown): void
  /** A record of the catalog was applied. */
  progressed?(): void
  /** A key or token was used here. */
  used?(id: string): void
}

/** Where the logs were when this node began to write the catalog. */
export interface Begun {
  /** Sequence of its own first record. */
  readonly catalog: number
  /** No message in any log that was followed has a later time, microseconds. */
  readonly lastMicros: number
}

/** Milliseconds until the copies of the shards have to be complete; between two looks. */
const [COMPLETE_MS, LOOK_MS] = [10_000, 5]

export class Standby {
  readonly #deps: StandbyDeps
  readonly #catalog: CatalogFollower
  /** Reads of the copies. */
  readonly reads: CopyService
  readonly #ending = new AbortController()
  readonly #following: Promise<unknown>

  constructor(deps: StandbyDeps) {
    const { options, data, catalogLog, failed } = deps
    this.#deps = deps
    this.reads = new CopyService({
      data,
      name: options.name,
      clock: options.clock ?? systemClock,
      used: (id) => deps.used?.(id),
      failed,
    })
    this.#catalog = new CatalogFollower({
      catalog: data.catalog,
      log: catalogLog,
      ledger: data.ledger,
      took: (rows) => {
        this.reads.changed(rows)
        deps.progressed?.()
      },
    })
    const { signal } = this.#ending
    this.#following = this.#catalog.follow(signal).catch((error: unknown) => {
      if (!signal.aborted) deps.stopped(error)
    })
  }

  /** Sequence of the last record of the catalog that was applied. */
  get applied(): number {
    return this.#catalog.applied
  }

  /** Ends following, and begins as the writer of the catalog. Rejects with LogUnavailable, LogGap. */
  async begin(term: string): Promise<Begun> {
    const { data } = this.#deps
    await this.#end()
    const catalog = await this.#catalog.begin(term)
    await this.#completeShards()
    // A ledger without any rows is not in the log. The catalog knows that there is one.
    if (watermarkOf(data.catalog, LEDGER) !== null && !isMade(data.dataDir, LEDGER)) data.ledger()
    await data.closeLedger()
    return { catalog, lastMicros: data.seats.lastMicros }
  }

  async close(): Promise<void> {
    await this.#end()
    await this.reads.close()
  }

  async #end(): Promise<void> {
    this.#ending.abort()
    await this.#following
  }

  /** What the catalog says of the shards is in their logs already. */
  async #completeShards(): Promise<void> {
    const { data, logs } = this.#deps
    const ends = await Promise.all(logs.map((log) => log.last()))
    const isComplete = (): boolean =>
      data.seats.all.every((seat, shard) => seat.isOwn || seat.applied >= (ends[shard] as number))
    for (const end = performance.now() + COMPLETE_MS; !isComplete(); ) {
      if (performance.now() > end) throw new LogUnavailable('the copies of the shards are behind their logs')
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }
}
