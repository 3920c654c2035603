/**
 * How far the logs of shards and of the catalog are: here, at their owners, and in the streams.
 *
 * Owns: what this node says, and what it hears of others. Leaves out: how it is asked (owner-positions.ts), what a read
 * does with it (read-point.ts).
 *
 * 1. This node speaks for a shard only where it is surely its own in the table (members.ts), and it has become its
 *    writer for this time of owning it. A node that was cut off may get a shard again before it has noticed that it
 *    lost it.
 * 2. The ends of logs are read twice. A server that was cut off comes back as the leader that it was, for a moment, and
 *    tells an end that is too early.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { askPositions, type Positions } from '../../../runtime/log/jetstream/owner-positions.js'
import type { ClusterLogs } from '../cluster-logs.js'
import type { Lease } from '../lease.js'
import type { NodeData } from '../node-data.js'
import type { CatalogView } from './catalog-view.js'
import type { ClusterMembers } from './members.js'

export interface ShardPositionsDeps {
  readonly logs: Pick<ClusterLogs, 'connection' | 'name' | 'shards' | 'catalog'>
  readonly lease: Pick<Lease, 'owner'>
  readonly members: ClusterMembers
  /** What is open; null for nothing. */
  data(): NodeData | null
  /** Null while nobody has the catalog open here. */
  catalog(): CatalogView | null
}

/** Milliseconds until an owner, and until all logs have to answer; between two looks at the logs. */
const [OWNER_MS, LOGS_MS, APART_MS] = [200, 1_000, 300]
/** No position: the shard is another's. */
const NOT_OWN = -1

export class ShardPositions {
  readonly #deps: ShardPositionsDeps

  constructor(deps: ShardPositionsDeps) {
    this.#deps = deps
  }

  /** Of the copies here. */
  readonly applied = (): Positions => {
    const { data, catalog } = this.#deps
    return { shards: data()?.seats.applied ?? [], catalog: catalog()?.applied() ?? 0 }
  }

  /** True where the copy of the shard here has all that was acknowledged (1). */
  isOwn(shard: number): boolean {
    const { members, data } = this.#deps
    const seat = data()?.seats.of(shard)
    const since = members.ownSince(shard)
    return since !== null && seat?.isOwn === true && !seat.isFenced && seat.since === since
  }

  /** How far this node is with the shards that it owns; null where nothing is open. */
  readonly own = (): Positions | null => {
    const seats = this.#deps.data()?.seats.all
    if (seats === undefined) return null
    return { shards: seats.map((seat, shard) => (this.isOwn(shard) ? seat.applied : NOT_OWN)), catalog: 0 }
  }

  /** How far the owners are; null where one does not answer, or is not known. */
  readonly ofOwner = async (): Promise<Positions | null> => {
    const { members, logs } = this.#deps
    const { table, own } = members
    const { connection, name } = logs
    const owners = table.map((owner) => owner?.process ?? null)
    if (owners.some((owner, shard) => owner === null || (owner === own.process && !this.isOwn(shard)))) return null
    const others = [...new Set(owners as string[])].filter((one) => one !== own.process)
    const ask = (term: string): Promise<Positions | null> => askPositions(connection, { name, term }, OWNER_MS)
    const [catalog, ...answers] = await Promise.all([this.#ofCatalog(ask), ...others.map(ask)])
    const shards = owners.map((owner, shard) => {
      // What is its own now may be another's since the others were asked.
      if (owner === own.process) return this.isOwn(shard) ? 0 : NOT_OWN
      return answers[others.indexOf(owner as string)]?.shards[shard] ?? NOT_OWN
    })
    return catalog === null || catalog === undefined || shards.includes(NOT_OWN) ? null : { shards, catalog }
  }

  /**
   * Where the logs end that others may have written; null where they do not answer (2).
   */
  readonly ofLogs = async (): Promise<Positions | null> => {
    const first = await this.#ends()
    if (first === null) return null
    await pause(APART_MS)
    const second = await this.#ends()
    if (second === null) return null
    const [catalog = 0, ...shards] = second.map((end, at) => Math.max(end, first[at] ?? 0))
    return { catalog, shards: shards.map((end, shard) => (this.isOwn(shard) ? 0 : end)) }
  }

  /** Of the catalog, then of the shards. */
  async #ends(): Promise<readonly number[] | null> {
    const { logs } = this.#deps
    const all = Promise.all([logs.catalog.last(), ...logs.shards.map((log) => log.last())]).catch(() => null)
    return await Promise.race([all, pause(LOGS_MS, null)])
  }

  async #ofCatalog(ask: (term: string) => Promise<Positions | null>): Promise<number | null> {
    if (this.#deps.catalog()?.applied() === Number.POSITIVE_INFINITY) return 0
    const { owner } = this.#deps.lease
    if (owner === null || owner.state === 'free' || owner.state === 'taking') return null
    return (await ask(owner.term))?.catalog ?? null
  }
}
