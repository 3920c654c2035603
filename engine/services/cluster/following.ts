/**
 * A node while another one is the owner: it follows all logs, and answers reads from its copies.
 *
 * Owns: joining the copies with what says whether they are current. Leaves out: the copies (standby.ts), when this node
 * becomes the owner (cluster-node.ts).
 */
import type { BlockSum } from '../../actor/log/block-sums.js'
import type { ReadService } from '../../api/read-service.js'
import { limits } from '../../limits.js'
import type { EngineOptions } from '../../options.js'
import { tellUses } from '../../runtime/log/jetstream/key-uses.js'
import { askPositions, type Positions } from '../../runtime/log/jetstream/owner-positions.js'
import type { ClusterLogs } from './cluster-logs.js'
import type { Lease } from './lease.js'
import { ReadPoint } from './read-point.js'
import { Standby, type Begun } from './standby.js'

export interface FollowingDeps {
  readonly options: EngineOptions
  readonly logs: ClusterLogs
  readonly lease: Pick<Lease, 'owner'>
  /** As in standby.ts. */
  prepare(): Promise<void>
  /** Following has ended for good. */
  stopped(error: unknown): void
  failed(what: string, error: unknown): void
}

/** Milliseconds until the owner, and until all logs have to answer. */
const [OWNER_MS, LOGS_MS] = [200, 1_000]

export class Following {
  readonly #deps: FollowingDeps
  readonly #standby: Standby
  readonly #point: ReadPoint
  readonly #telling: NodeJS.Timeout
  readonly #used: Set<string>
  isClosed = false

  /** Rejects as Standby.open. */
  static async open(deps: FollowingDeps): Promise<Following> {
    const { options, logs, prepare, stopped, failed } = deps
    const used = new Set<string>()
    let point: ReadPoint | null = null
    const standby = await Standby.open({
      options,
      logs: logs.shards,
      catalogLog: logs.catalog,
      prepare,
      stopped,
      failed,
      progressed: () => point?.progressed(),
      used: (id) => void used.add(id),
    })
    const ofOwner = (): Promise<Positions | null> => positionsOfOwner(deps)
    const ofLogs = (): Promise<Positions | null> => endsOf(logs)
    point = new ReadPoint({ applied: () => standby.applied, ofOwner, ofLogs })
    return new Following(deps, standby, { point, used })
  }

  private constructor(deps: FollowingDeps, standby: Standby, reads: { point: ReadPoint; used: Set<string> }) {
    this.#deps = deps
    this.#standby = standby
    this.#point = reads.point
    this.#used = reads.used
    this.#telling = setInterval(() => this.#tell(), limits.lastUseFlushMs).unref()
  }

  /** Reads of the copies. */
  get service(): ReadService {
    return this.#standby.reads
  }

  /** As in read-point.ts. */
  lagMs(): Promise<number | null> {
    return this.#point.lagMs()
  }

  /** As in read-point.ts. */
  get knownLagMs(): number | null {
    return this.#point.knownLagMs
  }

  /** Of what the latest records of a shard's log wrote here. */
  sumsOf(shard: number): readonly BlockSum[] {
    return this.#standby.sumsOf(shard)
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
    this.#point.close()
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

async function positionsOfOwner({ logs, lease: { owner } }: FollowingDeps): Promise<Positions | null> {
  if (owner === null || owner.state === 'free' || owner.state === 'taking') return null
  return await askPositions(logs.connection, { name: logs.name, term: owner.term }, OWNER_MS)
}

async function endsOf({ shards, catalog }: Pick<ClusterLogs, 'shards' | 'catalog'>): Promise<Positions | null> {
  const all = Promise.all([catalog.last(), ...shards.map((log) => log.last())]).catch(() => null)
  const ends = await Promise.race([all, new Promise<null>((resolve) => setTimeout(() => resolve(null), LOGS_MS))])
  return ends === null ? null : { catalog: ends[0] as number, shards: ends.slice(1) }
}
