/**
 * An owner for each shard: which shards this node takes, keeps and gives away.
 *
 * Owns: looking at the cluster, and what is done about each shard. Leaves out: the steps (shard-moves.ts), the values
 * that all nodes see (members.ts, owner-table.ts), where shards are to be (placement.ts), who is gone (departed.ts),
 * who owns the catalog (cluster-node.ts).
 *
 * | a shard                          | what this node does                                                          |
 * |----------------------------------|------------------------------------------------------------------------------|
 * | nobody's, or of a node that is   | takes it in the table, where it is to be here; then begins as the writer of  |
 * | gone                             | its log                                                                      |
 * | its own                          | runs its turns                                                               |
 * | its own again                    | begins anew: another node has written meanwhile                              |
 * | its own, and to be elsewhere     | holds its mailbox, gives it away in the table, and follows                   |
 * | another's                        | follows; sends turns to its owner                                            |
 *
 * 1. The table and the lives of nodes are for liveness only. Two nodes may both believe in a shard: its log takes the
 *    turns of the one that began last.
 * 2. Nothing is refused while a shard moves: its messages wait in the mailboxes of all nodes.
 * 3. A node that ends, or opens its shards again, leaves none in the table: the others need not find out.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { isRefusal } from '../../../errors.js'
import { LogUnavailable } from '../../../runtime/log/turn-log.js'
import { LEASE } from '../lease.js'
import { Departed } from './departed.js'
import { placementOf } from './placement.js'
import { ShardMoves, type ShardHost, type ShardMovesDeps } from './shard-moves.js'

export interface ShardOwnersDeps extends Omit<ShardMovesDeps, 'changed'> {
  /** How many there are. */
  readonly shards: number
  /** True where this node's copies are current, so that it may take shards of live nodes. */
  isCurrent(): boolean
  /** True where the process of this node is surely gone. */
  isGone(node: string): Promise<boolean>
  /** This node cannot go on: the reason, as a sentence. */
  fatal(why: string): void
  /** Told when a value of the cluster was written. Returns a function that ends this. */
  onWritten(written: () => void): () => void
}

/** Milliseconds between two looks, and between two looks of a node that leaves. */
const [LOOK_MS, LEAVE_LOOK_MS] = [300, 10]

export class ShardOwners {
  readonly #deps: ShardOwnersDeps
  readonly #moves: ShardMoves
  readonly #departed: Departed
  readonly #running: Promise<void>
  #host: ShardHost | null = null
  #isLeaving = false
  #isClosed = false
  readonly #renewing: NodeJS.Timeout
  /** The renewal that is under way, and the one behind it. */
  #renewed: Promise<void> = Promise.resolve()
  #nextRenewal: Promise<void> | null = null
  /** Something has changed since the last look. */
  #isWoken = false
  #wake = (): void => {}
  /** What is being done with the host, so that it is not closed meanwhile. */
  #looking: Promise<unknown> = Promise.resolve()

  constructor(deps: ShardOwnersDeps) {
    const { members, isGone } = deps
    const changed = (): void => this.look()
    this.#deps = deps
    this.#moves = new ShardMoves({ ...deps, changed })
    this.#departed = new Departed(members, isGone, changed)
    this.#renewing = setInterval(() => void this.#renew(), LEASE.renewMs)
    void this.#renew()
    this.#running = this.#run()
  }

  /** The shards are open from now on. */
  open(host: ShardHost): void {
    this.#host = host
    void this.#renew()
    this.look()
  }

  /** The shards are about to be closed: nothing is taken or given away any more, and other nodes may take them. */
  async suspend(): Promise<void> {
    const { members } = this.#deps
    this.#host = null
    void this.#renew()
    await this.#looking
    await this.#moves.settled()
    const own = [...members.table.keys()].filter((shard) => members.table[shard]?.process === members.own.process)
    // Where the servers do not answer, the others find out when this process is silent, or has ended.
    if (own.length > 0) await members.assign(own, null).catch(() => {})
  }

  /** Gives all shards to other nodes, where there are any. What is not given in time is nobody's. */
  async leave(limitMs: number): Promise<void> {
    const { members } = this.#deps
    this.#isLeaving = true
    const renewed = this.#renew()
    const late = pause(limitMs, null, { ref: false })
    await Promise.race([renewed, late])
    this.look()
    const host = this.#host
    const own = (): number[] => host?.seats.all.flatMap(({ isOwn }, shard) => (isOwn ? [shard] : [])) ?? []
    const isDone = (): boolean => members.others().length === 0 || this.#host === null || own().length === 0
    for (const end = performance.now() + limitMs; !isDone() && performance.now() < end; ) await pause(LEAVE_LOOK_MS)
    if (host === null || isDone()) return
    for (const shard of own()) if (!this.#moves.isBusy(shard)) this.#moves.give(host, shard, null)
    await Promise.race([this.#moves.settled(), pause(limitMs, null, { ref: false })])
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#renewing)
    this.#wake()
    await this.#running
    await this.#renewed
    await this.#departed.settled()
  }

  /** Looks soon. */
  look(): void {
    this.#isWoken = true
    this.#wake()
  }

  async #run(): Promise<void> {
    const unsubscribe = this.#deps.onWritten(() => this.look())
    while (!this.#isClosed) {
      this.#isWoken = false
      this.#looking = this.#turn()
      await this.#looking
      const woken = new Promise<void>((resolve) => (this.#wake = resolve))
      if (!this.#isClosed && !this.#isWoken) await Promise.race([woken, pause(LOOK_MS)])
    }
    unsubscribe()
  }

  async #turn(): Promise<void> {
    const { members, isCurrent, failed, fatal } = this.#deps
    try {
      if (members.own.state === 'joining' && this.#host !== null && isCurrent()) void this.#renew()
      await this.#renewed
      await members.read()
      await members.confirm()
      await this.#lookAtAll()
    } catch (error) {
      if (isRefusal(error, 'data_dir_newer')) fatal(error.message)
      else if (!(error instanceof LogUnavailable)) failed('the shards of this node could not be looked after', error)
    }
  }

  /**
   * Says what this node is. Resolves when that is written, or could not be: then the next renewal does it. Calls that
   * come while one is under way share the next one.
   */
  #renew(): Promise<void> {
    if (this.#nextRenewal !== null) return this.#nextRenewal
    const next = this.#renewed.then(() => {
      this.#nextRenewal = null
      return this.#write()
    })
    this.#nextRenewal = this.#renewed = next
    return next
  }

  async #write(): Promise<void> {
    const { members, isCurrent, fatal } = this.#deps
    const isReady = this.#host !== null && (members.own.state === 'ready' || isCurrent())
    await members.renew(this.#isLeaving ? 'leaving' : isReady ? 'ready' : 'joining').catch((error: unknown) => {
      if (isRefusal(error, 'data_dir_in_use')) fatal(error.message)
    })
  }

  async #lookAtAll(): Promise<void> {
    const { members, shards } = this.#deps
    const { own } = members
    const mine = own.state === 'ready' ? [own.node] : []
    const wanted = placementOf(shards, [...mine, ...members.others()].sort())
    const host = this.#host
    if (host === null) return
    const free: number[] = []
    for (let shard = 0; shard < shards; shard++) if (this.#lookAt(host, shard, wanted[shard] ?? null)) free.push(shard)
    if (free.length === 0) return
    const taken = await members.take(free)
    for (const shard of taken) if (this.#host === host && !this.#moves.isBusy(shard)) this.#moves.take(host, shard)
  }

  /** True where the shard is to be taken. */
  #lookAt(host: ShardHost, shard: number, wanted: string | null): boolean {
    const { members } = this.#deps
    const { own, table } = members
    if (this.#moves.isBusy(shard)) return false
    const owner = table[shard] ?? null
    const { isOwn, isFenced, since } = host.seats.of(shard)
    const isMine = owner?.process === own.process
    if (isOwn && (!isMine || isFenced || since !== owner.since)) this.#moves.lose(host, shard)
    else if (isMine && !isOwn) this.#moves.take(host, shard)
    else if (isMine && wanted !== null && wanted !== own.node && (this.#isLeaving || members.isSettled(wanted)))
      this.#moves.give(host, shard, wanted)
    else if (!isMine) {
      // Asked about also where it is to be there: a node that is gone is to have its shards until that is known.
      const isFree = owner === null || owner.node === own.node || this.#departed.has(owner)
      return isFree && wanted === own.node
    }
    return false
  }
}
