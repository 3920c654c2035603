/**
 * The shards of a node among those of the cluster: which are its own, how turns reach the owners of the others, and
 * whether its copies are current.
 *
 * Owns: joining the parts of this folder for the life of the node. Leaves out: what is open (node-data.ts), the catalog
 * (standby.ts, cluster-node.ts).
 */
import type { NewMessage } from '../../../runtime/turn/turn-contract.js'
import { mayBeThere } from '../../../runtime/log/jetstream/owner-ping.js'
import { answerPositions } from '../../../runtime/log/jetstream/owner-positions.js'
import { Parcels } from '../../../runtime/log/jetstream/parcels.js'
import { decodeParcel, encodeAnswer, type TurnParcel } from '../../../runtime/log/spread/parcel.js'
import { RemoteTurns } from '../../../runtime/log/spread/remote-turns.js'
import type { SendTurn } from '../../../runtime/log/spread/seat.js'
import { TurnsHost } from '../../../runtime/log/spread/turns-host.js'
import type { ClusterLogs } from '../cluster-logs.js'
import { LEASE, type Lease } from '../lease.js'
import type { NodeData } from '../node-data.js'
import { refusesConnections } from '../owner-gone.js'
import { ReadPoint } from '../read-point.js'
import type { CatalogView } from './catalog-view.js'
import { ClusterMembers } from './members.js'
import { ShardOwners } from './shard-owners.js'
import { ShardPositions } from './shard-positions.js'

export interface NodeShardsDeps {
  readonly logs: ClusterLogs
  /** Where other nodes reach this one. */
  readonly url: string
  readonly lease: Pick<Lease, 'owner'>
  told(what: string, details?: Readonly<Record<string, unknown>>): void
  failed(what: string, error: unknown): void
  /** This node cannot go on: the reason, as a sentence. */
  fatal(why: string): void
}

/** Milliseconds until a copy has what was written; between looks. */
const [WRITTEN_MS, LOOK_MS] = [2_000, 2]
/** Copies that were current so lately may become the shard's, milliseconds. */
const CURRENT_MS = 2_000
const [elsewhere, failedAnswer] = [encodeAnswer({ elsewhere: true }), encodeAnswer({ failed: true })]

export class NodeShards {
  readonly #deps: NodeShardsDeps
  readonly #members: ClusterMembers
  readonly #parcels: Parcels
  readonly #remote: RemoteTurns
  readonly #host: TurnsHost
  readonly #owners: ShardOwners
  readonly #positions: ShardPositions
  readonly #point: ReadPoint
  readonly #endAnswers: () => void
  #data: NodeData | null = null
  #knownCatalog = 0
  /** Of this life of the process: 8 bytes in hexadecimal. */
  readonly process: string
  /** Null while nobody has the catalog open. */
  catalog: CatalogView | null = null

  constructor(deps: NodeShardsDeps) {
    const { logs, url, told, failed } = deps
    const { connection, name, keys, node, process, revision } = logs
    this.#deps = deps
    this.process = process
    this.#members = new ClusterMembers(keys, logs.shards.length, { node: node.node, process, url, revision })
    this.#parcels = new Parcels({ connection, name, process })
    this.#remote = new RemoteTurns({
      sender: process,
      ownerOf: (shard) => this.#members.ownerOf(shard),
      position: (shard) => this.#data?.seats.of(shard).applied ?? 0,
      request: this.#parcels.request.bind(this.#parcels),
      applied: (shard, sequence) => this.#reached(shard, sequence),
      catalog: () => this.#catalogSequence(),
    })
    this.#host = new TurnsHost({
      isOwn: (shard) => this.isOwn(shard),
      since: (shard) => this.#data?.seats.of(shard).since,
      post: (message: NewMessage) => this.#data?.shards.post(message),
      job: (id) => this.catalog?.job(id),
      catalog: () => this.catalog?.applied() ?? 0,
      applied: (shard) => this.#data?.seats.of(shard).applied ?? 0,
    })
    this.#parcels.serve((request) => this.#run(request))
    this.#positions = new ShardPositions({
      logs,
      lease: deps.lease,
      members: this.#members,
      data: () => this.#data,
      catalog: () => this.catalog,
    })
    this.#point = new ReadPoint(this.#positions)
    this.#endAnswers = answerPositions(connection, { name, term: process }, this.#positions.own)
    this.#owners = new ShardOwners({
      members: this.#members,
      shards: logs.shards.length,
      hosted: this.#host,
      isCurrent: () => (this.#point.knownLagMs ?? Number.POSITIVE_INFINITY) < CURRENT_MS,
      isGone: (one) => this.#isGone(one),
      onWritten: (written) => keys.onWritten('shards', written),
      told,
      failed,
      fatal: deps.fatal,
    })
  }

  /** Sends a turn to the owner of its shard. */
  readonly send: SendTurn = (task, signal) => this.#remote.send(task, signal)

  /** As in read-point.ts. */
  get point(): Pick<ReadPoint, 'lagMs' | 'knownLagMs' | 'catalogCurrent'> {
    return this.#point
  }

  /** Another node may have taken a shard of this one. */
  readonly lookAgain = (): void => this.#owners.look()

  /** A record was applied here. */
  readonly progressed = (): void => this.#point.progressed()

  isOwn(shard: number): boolean {
    return this.#data?.seats.of(shard).isOwn === true
  }

  /** The shards whose turns run here. */
  get own(): number[] {
    return [...this.#members.table.keys()].filter((shard) => this.isOwn(shard))
  }

  /** Where other nodes serve that are ready. */
  get otherUrls(): string[] {
    return this.#members.others().flatMap((node) => this.#members.member(node)?.url ?? [])
  }

  /**
   * What a read waits for that the owner of the catalog serves: 0 where the copies of other nodes' shards are current,
   * or how old they may be, milliseconds. Null where all shards are its own.
   */
  readLagMs(): Promise<number> | null {
    if (this.#members.table.every((_, shard) => this.#positions.isOwn(shard))) return null
    return this.#point.lagMs().then((lagMs) => lagMs ?? this.#point.knownLagMs ?? LEASE.ttlMs)
  }

  /** The shards are open from now on. */
  open(data: NodeData): void {
    this.#data = data
    this.#owners.open(data.host)
  }

  /** The shards are about to be closed. */
  async suspend(): Promise<void> {
    await this.#owners.suspend()
    this.#data = null
  }

  /** Gives all shards to other nodes, where there are any. */
  leave(limitMs: number): Promise<void> {
    return this.#owners.leave(limitMs)
  }

  async close(): Promise<void> {
    await this.#owners.close()
    this.#point.close()
    this.#endAnswers()
    this.#parcels.close()
  }

  async #run(request: Uint8Array): Promise<Uint8Array> {
    const { failed } = this.#deps
    let parcel: TurnParcel
    try {
      parcel = decodeParcel(request)
    } catch (error) {
      failed('a turn of another node could not be read', error)
      return elsewhere
    }
    try {
      return encodeAnswer(await this.#host.run(parcel))
    } catch (error) {
      failed('a turn of another node could not be run', error)
      return failedAnswer
    }
  }

  /** What this node has known of the catalog, also while nobody has it open here. */
  #catalogSequence(): number {
    this.#knownCatalog = Math.max(this.#knownCatalog, this.catalog?.sequence() ?? 0)
    return this.#knownCatalog
  }

  async #reached(shard: number, sequence: number): Promise<void> {
    for (const end = performance.now() + WRITTEN_MS; performance.now() < end; ) {
      if ((this.#data?.seats.of(shard).applied ?? Number.POSITIVE_INFINITY) >= sequence) return
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  }

  async #isGone(node: string): Promise<boolean> {
    const { connection, name } = this.#deps.logs
    const member = this.#members.member(node)
    if (member === null) return true
    return !(await mayBeThere(connection, name, member.process)) && (await refusesConnections(member.url))
  }
}
