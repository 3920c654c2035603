/**
 * A node while another one owns the catalog: it follows the catalog, and answers reads and takes events.
 *
 * Owns: joining the copies with what says whether they are current. Leaves out: the copies (standby.ts, node-data.ts),
 * when this node becomes the owner (cluster-node.ts).
 */
import type { ReadService } from '../../api/read-service.js'
import { limits } from '../../limits.js'
import type { EngineOptions } from '../../options.js'
import { CatalogTeller } from '../../runtime/log/jetstream/catalog-seen.js'
import { tellUses } from '../../runtime/log/jetstream/key-uses.js'
import type { ClusterLogs } from './cluster-logs.js'
import type { NodeData } from './node-data.js'
import type { NodeShards } from './owners/node-shards.js'
import { Standby, type Begun } from './standby.js'

export interface FollowingDeps {
  readonly options: EngineOptions
  readonly logs: ClusterLogs
  readonly data: NodeData
  readonly shards: NodeShards
  /** Following has ended for good. */
  stopped(error: unknown): void
  failed(what: string, error: unknown): void
}

export class Following {
  readonly #deps: FollowingDeps
  readonly #standby: Standby
  readonly #telling: NodeJS.Timeout
  readonly #used = new Set<string>()
  readonly #teller: CatalogTeller
  isClosed = false

  constructor(deps: FollowingDeps) {
    const { options, logs, data, shards, stopped, failed } = deps
    this.#deps = deps
    const standby = new Standby({
      options,
      data,
      logs: logs.shards,
      catalogLog: logs.catalog,
      stopped,
      failed,
      progressed: () => {
        this.#teller.tell()
        shards.progressed()
      },
      used: (id) => void this.#used.add(id),
    })
    this.#standby = standby
    const { connection, name } = logs
    this.#teller = new CatalogTeller({ connection, name, process: shards.process, applied: () => standby.applied })
    const applied = (): number => standby.applied
    shards.catalog = { applied, sequence: applied, job: (id) => standby.reads.resources.job(id) }
    this.#telling = setInterval(() => this.#tell(), limits.lastUseFlushMs).unref()
  }

  /** Reads of the copies, and what any node may write. */
  get service(): ReadService {
    return this.#standby.reads
  }

  /** As in read-point.ts. */
  lagMs(): Promise<number | null> {
    return this.#deps.shards.point.lagMs()
  }

  /** As in read-point.ts. */
  catalogCurrent(sinceMs?: number): Promise<void> | null {
    return this.#deps.shards.point.catalogCurrent(sinceMs)
  }

  /** As in read-point.ts. */
  get knownLagMs(): number | null {
    return this.#deps.shards.point.knownLagMs
  }

  /** The shards whose turns run here. */
  get ownShards(): readonly number[] {
    return this.#deps.shards.own
  }

  /** As in standby.ts. */
  begin(term: string): Promise<Begun> {
    return this.#standby.begin(term)
  }

  /** Gives up reads that run, and ends streams. */
  stopReads(): void {
    this.#standby.reads.stop()
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearInterval(this.#telling)
    this.#teller.end()
    this.#tell()
    await this.#standby.close()
  }

  #tell(): void {
    const { connection, name } = this.#deps.logs
    tellUses(connection, name, [...this.#used])
    this.#used.clear()
    this.#standby.reads.resources.tellAgain()
  }
}
