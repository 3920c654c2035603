/**
 * The steps by which a shard changes its owner, on one node.
 *
 * Owns: taking a shard, giving it away, and losing it; which shards are in the middle of it. Leaves out: when
 * (shard-owners.ts), turns and copies (runtime/log/spread/).
 *
 * 1. One thing is done with a shard at a time. Shards do not wait for each other.
 * 2. After a failure a shard is left alone for a moment.
 * 3. A shard is given away only when turns of other nodes are answered, so that nobody waits for two nodes.
 */
import { randomBytes } from 'node:crypto'
import { LogUnavailable } from '../../../runtime/log/turn-log.js'
import type { Seats } from '../../../runtime/log/spread/seats.js'
import type { ClusterMembers } from './members.js'
import type { OwnerTable } from './owner-table.js'

/** What has the shards open: a standby, or the engine. */
export interface ShardHost {
  readonly seats: Seats
  /** As in shards.ts. */
  changeRunner(shard: number, work: () => Promise<number>): Promise<void>
}

export interface ShardMovesDeps {
  readonly members: ClusterMembers
  /** As in turns-host.ts. */
  readonly hosted: { drain(shard: number, limitMs: number): Promise<void>; resume(shard: number): void }
  told(what: string, details?: Readonly<Record<string, unknown>>): void
  failed(what: string, error: unknown): void
  /** Something is over. */
  changed(): void
}

/** Milliseconds until turns of other nodes have to be answered; that a shard is left alone after a failure. */
const [DRAIN_MS, REST_MS] = [5_000, 1_000]

export class ShardMoves {
  readonly #deps: ShardMovesDeps
  /** By shard: what is being done with it. */
  readonly #working = new Map<number, Promise<void>>()
  /** By shard: until when it is left alone, milliseconds of this process. */
  readonly #restsUntil = new Map<number, number>()

  constructor(deps: ShardMovesDeps) {
    this.#deps = deps
  }

  /** True where something is being done with it, or it is left alone. */
  isBusy(shard: number): boolean {
    return this.#working.has(shard) || performance.now() < (this.#restsUntil.get(shard) ?? 0)
  }

  /** Resolves when nothing is being done with any shard. */
  async settled(): Promise<void> {
    await Promise.all(this.#working.values())
  }

  /** It is this node's in the table: becomes its owner. */
  take(host: ShardHost, shard: number): void {
    const seat = host.seats.of(shard)
    const { members } = this.#deps
    // Before it begins: where the table changes meanwhile, it is taken again.
    const since = members.table[shard]?.since
    const isMine = async (): Promise<boolean> => {
      await members.confirm()
      return members.ownSince(shard) === since
    }
    this.#work(shard, 'could not be taken over yet', async () => {
      seat.recall()
      await host.changeRunner(shard, async () => {
        await seat.take(randomBytes(8).toString('hex'), isMine, since)
        return seat.lastMicros
      })
      this.#deps.told('this node runs a shard now', { shard })
    })
  }

  /** Gives it to another node, or to nobody. */
  give(host: ShardHost, shard: number, node: string | null): void {
    const { members, hosted, told } = this.#deps
    const to = node === null ? null : members.member(node)
    if (node !== null && to === null) return
    const owner: OwnerTable[number] = to === null ? null : { node: to.node, process: to.process }
    this.#work(shard, 'could not be given away', async () => {
      try {
        await hosted.drain(shard, DRAIN_MS)
        let isGiven = false
        await this.#leave(host, shard, async () => {
          isGiven = (await members.assign([shard], owner)).length > 0
          return isGiven
        })
        if (isGiven) told('this node has given a shard away', { shard, to: node })
      } finally {
        hosted.resume(shard)
      }
    })
  }

  /** It is another node's: follows it. */
  lose(host: ShardHost, shard: number): void {
    this.#work(shard, 'could not be left', async () => {
      await this.#leave(host, shard, async () => true)
      this.#deps.told('another node runs this shard now', { shard })
    })
  }

  /** Follows the shard from now on, where `mayLeave` says so while its mailbox is held. */
  async #leave(host: ShardHost, shard: number, mayLeave: () => Promise<boolean>): Promise<void> {
    const seat = host.seats.of(shard)
    await host.changeRunner(shard, async () => {
      if (await mayLeave()) seat.leave()
      return seat.lastMicros
    })
  }

  #work(shard: number, failure: string, work: () => Promise<void>): void {
    const over = work()
      .catch((error: unknown) => {
        this.#restsUntil.set(shard, performance.now() + REST_MS)
        if (!(error instanceof LogUnavailable)) this.#deps.failed(`shard ${shard} ${failure}`, error)
      })
      .finally(() => {
        this.#working.delete(shard)
        this.#deps.changed()
      })
    this.#working.set(shard, over)
  }
}
