/**
 * An owner for each shard: which shards this node takes, keeps and gives away.
 *
 * Owns: the steps by which a shard changes its owner. Leaves out: the values that all nodes see (members.ts), where
 * shards are to be (placement.ts), turns and copies (runtime/log/spread/), who owns the catalog (cluster-node.ts).
 *
 * | a shard                          | what this node does                                                          |
 * |----------------------------------|------------------------------------------------------------------------------|
 * | nobody's, or of a node that is   | takes it in the table, where it is to be here; then begins as the writer of  |
 * | gone                             | its log                                                                      |
 * | its own                          | runs its turns                                                               |
 * | its own, and to be elsewhere     | holds its mailbox, gives it away in the table, and follows                   |
 * | another's                        | follows; sends turns to its owner                                            |
 *
 * 1. The table and the lives of nodes are for liveness only. Two nodes may both believe in a shard: its log takes the
 *    turns of the one that began last.
 * 2. Nothing is refused while a shard moves: its messages wait in the mailboxes of all nodes.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { LogUnavailable } from '../../../runtime/log/turn-log.js'
import type { Seats } from '../../../runtime/log/spread/seats.js'
import { LEASE } from '../lease.js'
import type { Members, ShardOwner } from './members.js'
import { placementOf } from './placement.js'

/** What has the shards open: a standby, or the engine. */
export interface ShardHost {
  readonly seats: Seats
  /** As in shards.ts. */
  changeRunner(shard: number, work: () => Promise<number>): Promise<void>
}

export interface ShardOwnersDeps {
  readonly members: Members
  /** How many there are. */
  readonly shards: number
  /** True where this node's copies are current, so that it may take shards of live nodes. */
  isCurrent(): boolean
  /** True where the process of this node is surely gone. */
  isGone(node: string): Promise<boolean>
  /** Told when a value of the cluster was written. Returns a function that ends this. */
  onWritten(written: () => void): () => void
  told(what: string, details?: Readonly<Record<string, unknown>>): void
  failed(what: string, error: unknown): void
}

/** Milliseconds between two looks, and of silence after which it is asked whether a node is gone. */
const [LOOK_MS, SILENT_MS] = [300, 600]

export class ShardOwners {
  readonly #deps: ShardOwnersDeps
  readonly #running: Promise<void>
  #host: ShardHost | null = null
  #isLeaving = false
  #isClosed = false
  readonly #renewing: NodeJS.Timeout
  #renewed: Promise<unknown> = Promise.resolve()
  /** Something has changed since the last look. */
  #isWoken = false
  #wake = (): void => {}
  /** What is being done with the host, so that it is not closed meanwhile. */
  #looking: Promise<unknown> = Promise.resolve()
  /** By shard: what is being done with it. */
  readonly #working = new Map<number, Promise<unknown>>()

  constructor(deps: ShardOwnersDeps) {
    this.#deps = deps
    this.#renewing = setInterval(() => this.#renew(), LEASE.renewMs)
    this.#renew()
    this.#running = this.#run()
  }

  /** The shards are open from now on. */
  open(host: ShardHost): void {
    this.#host = host
    this.#wake()
  }

  /** The shards are about to be closed: nothing is taken or given away any more. They stay this node's in the table. */
  async suspend(): Promise<void> {
    this.#host = null
    await this.#looking
    await Promise.all(this.#working.values())
  }

  /** Gives all shards to other nodes, where there are any. */
  async leave(limitMs: number): Promise<void> {
    this.#isLeaving = true
    this.#renew()
    await this.#renewed
    this.#wake()
    const isDone = (): boolean =>
      this.#deps.members.others().length === 0 || !this.#host?.seats.all.some(({ isOwn }) => isOwn)
    for (const end = performance.now() + limitMs; !isDone() && performance.now() < end; ) await pause(20)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#renewing)
    this.#wake()
    await this.#running
    await this.#renewed
  }

  async #run(): Promise<void> {
    const unsubscribe = this.#deps.onWritten(() => {
      this.#isWoken = true
      this.#wake()
    })
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
    const { members, isCurrent, failed } = this.#deps
    try {
      if (members.own.state === 'joining' && isCurrent()) this.#renew()
      await this.#renewed
      await members.read()
      await this.#look()
    } catch (error) {
      if (!(error instanceof LogUnavailable)) failed('the shards of this node could not be looked after', error)
    }
  }

  /** Says what this node is. Where the servers do not answer, the next renewal does. */
  #renew(): void {
    const { members, isCurrent } = this.#deps
    this.#renewed = this.#renewed
      .then(() => {
        const isReady = members.own.state === 'ready' || isCurrent()
        return members.renew(this.#isLeaving ? 'leaving' : isReady ? 'ready' : 'joining')
      })
      .catch(() => {})
  }

  async #look(): Promise<void> {
    const { members, shards } = this.#deps
    const { own } = members
    const others = this.#deps.members.others()
    const mine = own.state === 'ready' ? [own.node] : []
    const wanted = placementOf(shards, [...mine, ...others].sort())
    const gone = new Map<string, Promise<boolean>>()
    const hasGone = (owner: ShardOwner): Promise<boolean> => {
      const found = gone.get(owner.process) ?? this.#hasGone(owner)
      gone.set(owner.process, found)
      return found
    }
    const taken: number[] = []
    for (let shard = 0; shard < shards; shard++)
      if (await this.#lookAt(shard, wanted[shard] ?? null, hasGone)) taken.push(shard)
    const host = this.#host
    if (host === null || taken.length === 0) return
    if (await members.assign(taken, { node: own.node, process: own.process }))
      for (const shard of taken) this.#work(shard, () => this.#take(host, shard))
  }

  /** Does something with a shard. Others do not wait for it. */
  #work(shard: number, work: () => Promise<void>): void {
    const over = work()
      .catch((error: unknown) => {
        if (!(error instanceof LogUnavailable)) this.#deps.failed(`shard ${shard} could not change its owner`, error)
      })
      .finally(() => {
        this.#working.delete(shard)
        this.#isWoken = true
        this.#wake()
      })
    this.#working.set(shard, over)
  }

  /** True where the shard is to be taken. */
  async #lookAt(
    shard: number,
    wanted: string | null,
    hasGone: (owner: ShardOwner) => Promise<boolean>,
  ): Promise<boolean> {
    const { members } = this.#deps
    const { own, table } = members
    const host = this.#host
    if (host === null || this.#working.has(shard)) return false
    const owner = table[shard] ?? null
    const seat = host.seats.of(shard)
    const isMine = owner?.process === own.process
    const isLost = seat.isOwn && (!isMine || seat.isFenced)
    if (isLost) this.#work(shard, () => this.#lost(host, shard))
    else if (isMine && !seat.isOwn) this.#work(shard, () => this.#take(host, shard))
    else if (isMine && wanted !== null && wanted !== own.node && (this.#isLeaving || members.isSettled(wanted)))
      this.#work(shard, () => this.#give(host, shard, wanted))
    if (isLost || isMine || wanted !== own.node) return false
    return owner === null || owner.node === own.node || (await hasGone(owner))
  }

  /** The process that owns a shard is gone, or was not live for too long. */
  async #hasGone({ node, process }: ShardOwner): Promise<boolean> {
    const { members, isGone } = this.#deps
    const member = members.member(node)
    if (member === null || member.process !== process) return true
    const silentMs = members.silentMs(node)
    if (silentMs > LEASE.ttlMs) return true
    if (silentMs < SILENT_MS || !(await isGone(node))) return false
    members.forget(node)
    return true
  }

  async #take(host: ShardHost, shard: number): Promise<void> {
    const seat = host.seats.of(shard)
    seat.recall()
    try {
      await host.changeRunner(shard, async () => {
        await seat.take(randomBytes(8).toString('hex'))
        return seat.lastMicros
      })
      this.#deps.told('this node runs a shard now', { shard })
    } catch (error) {
      this.#deps.failed(`shard ${shard} could not be taken over yet`, error)
    }
  }

  async #give(host: ShardHost, shard: number, node: string): Promise<void> {
    const { members, told } = this.#deps
    const to = members.member(node)
    if (to === null) return
    const seat = host.seats.of(shard)
    let isGiven = false
    await host.changeRunner(shard, async () => {
      isGiven = await members.assign([shard], { node, process: to.process })
      if (isGiven) seat.leave()
      return seat.lastMicros
    })
    if (isGiven) told('this node has given a shard away', { shard, to: node })
  }

  async #lost(host: ShardHost, shard: number): Promise<void> {
    const seat = host.seats.of(shard)
    await host.changeRunner(shard, async () => {
      seat.leave()
      return seat.lastMicros
    })
    this.#deps.told('another node runs this shard now', { shard })
  }
}
