/**
 * The nodes of a cluster, as one of them sees them.
 *
 * Owns: the values `node.NAME` of all nodes. Leaves out: which of them owns which shard (owner-table.ts), what follows
 * from both (shard-owners.ts).
 *
 * 1. Each node writes its own value again and again. A node whose value does not change for `LEASE.ttlMs` is not live.
 *    Time is measured by each node's own clock, from the moment at which it saw the value change. While a node cannot
 *    read, nobody is silent.
 * 2. A node whose renewal was late may have lost shards meanwhile, or may be about to: others may have found it silent.
 *    It counts as fresh again when it has written the table after that renewal (owner-table.ts). Others read the table
 *    first, and then the nodes.
 * 3. A shard that is being given away may be another's before the answer is here. Where there is none, it is as after a
 *    late renewal: the write may be stored until the table is written behind it.
 */
import type { ClusterKeys } from '../../../runtime/log/jetstream/cluster-keys.js'
import type { RemoteOwner } from '../../../runtime/log/spread/remote-turns.js'
import { LEASE } from '../lease.js'
import { isNewer, PROTOCOL } from '../protocol.js'
import { allNodes, isTaken, nodeKey, type Member, type OwnMember } from './member.js'
import { SharedOwnerTable, type OwnerTable } from './owner-table.js'

/** A node that has not read for longer than this, milliseconds, does not know whether others were silent. */
const BLIND_MS = 1_000
/** A node that came so lately is not given shards yet, milliseconds. */
const SETTLED_MS = 300
/** How often a renewal is tried. */
const TRIES = 3

interface Seen {
  readonly member: Member
  readonly revision: number
  readonly changedMs: number
}

export class ClusterMembers {
  readonly #keys: Pick<ClusterKeys, 'get' | 'put' | 'all'>
  readonly #table: SharedOwnerTable
  readonly #nowMs: () => number
  readonly #seen = new Map<string, Seen>()
  /** By node: since when it is one of the others. */
  readonly #liveSinceMs = new Map<string, number>()
  #own: Member
  #ownRevision: number | null
  /** The value was written by this process. */
  #hasName: boolean
  /** When the last renewal that was stored began, milliseconds of this process; 0 for never. */
  #renewedMs = 0
  /** Renewals that were late, and up to which of them it is known what this node still owns. */
  #late = 0
  #confirmed = 0
  /** Shards whose owner is being written. */
  readonly #writing = new Set<number>()
  /** The revision of the table at which all values were read last. */
  #readRevision = 0
  /** When all values were read last, milliseconds of this process; 0 for never. */
  #readMs = 0

  /** `nowMs`: the clock of this process, which never jumps. */
  constructor(
    keys: Pick<ClusterKeys, 'get' | 'put' | 'all'>,
    shards: number,
    { revision, ...own }: OwnMember,
    nowMs = () => performance.now(),
  ) {
    this.#keys = keys
    this.#ownRevision = revision ?? null
    this.#hasName = revision !== undefined
    this.#nowMs = nowMs
    this.#table = new SharedOwnerTable(keys, shards)
    this.#own = { ...own, protocol: own.protocol ?? PROTOCOL, givesBack: true, state: 'joining', count: 0 }
  }

  get own(): Member {
    return this.#own
  }

  /** Who owns which shard, as read last. */
  get table(): OwnerTable {
    return this.#table.table
  }

  /** Milliseconds since this node was surely live for all others. */
  get ageMs(): number {
    return this.#renewedMs === 0 ? Number.POSITIVE_INFINITY : this.#nowMs() - this.#renewedMs
  }

  /** No other node has taken a shard of this one because it seemed to be gone. */
  get isFresh(): boolean {
    return this.ageMs < LEASE.freshMs && this.#confirmed === this.#late
  }

  /** Since when this node surely owns the shard, as in owner-table.ts; null where it may be another's. */
  ownSince(shard: number): number | undefined | null {
    const owner = this.table[shard] ?? null
    const isOwn = this.isFresh && owner?.process === this.#own.process && !this.#writing.has(shard)
    return isOwn ? owner.since : null
  }

  /** Makes sure, after a renewal that was late, what this node still owns. Rejects with LogUnavailable. */
  async confirm(): Promise<void> {
    const late = this.#late
    if (this.#confirmed < late && (await this.#table.touch())) this.#confirmed = late
  }

  /** The member with this name, as seen last. */
  member(node: string): Member | null {
    return node === this.#own.node ? this.#own : (this.#seen.get(node)?.member ?? null)
  }

  /** Who runs the turns of a shard; null while nobody does, or this node. */
  ownerOf(shard: number): RemoteOwner | null {
    const owner = this.table[shard] ?? null
    if (owner === null || owner.process === this.#own.process) return null
    const { process, since } = owner
    const member = this.member(owner.node)
    return { process, since, givesBack: member?.process === process && member.givesBack === true }
  }

  /** The other nodes that may have shards: they are ready, and live. */
  others(): string[] {
    const nowMs = this.#nowMs()
    return [...this.#seen.values()].flatMap(({ member: { node, state } }) => {
      const isLive = state === 'ready' && this.silentMs(node) < LEASE.ttlMs
      if (!isLive) this.#liveSinceMs.delete(node)
      else if (!this.#liveSinceMs.has(node)) this.#liveSinceMs.set(node, nowMs)
      return isLive ? [node] : []
    })
  }

  /** True where a node has been one of the others for long enough to be given shards. */
  isSettled(node: string): boolean {
    return this.#nowMs() - (this.#liveSinceMs.get(node) ?? Number.POSITIVE_INFINITY) > SETTLED_MS
  }

  /** Milliseconds since the value of another node was seen to change. */
  silentMs(node: string): number {
    const seen = this.#seen.get(node)
    return seen === undefined ? Number.POSITIVE_INFINITY : this.#nowMs() - seen.changedMs
  }

  /** Forgets a node whose process is surely gone. It is there again with its next value. */
  forget(node: string, process: string): void {
    const seen = this.#seen.get(node)
    if (seen?.member.process === process) this.#seen.set(node, { ...seen, changedMs: Number.NEGATIVE_INFINITY })
  }

  /** Reads all values. Rejects with LogUnavailable, and Refusal data_dir_newer where a node has a newer version. */
  async read(): Promise<void> {
    await this.#table.read()
    const { revision } = this.#table
    const values = await this.#keys.all(allNodes)
    const nowMs = this.#nowMs()
    const blindMs = this.#readMs === 0 ? 0 : nowMs - this.#readMs
    for (const [name, seen] of blindMs > BLIND_MS ? this.#seen : [])
      this.#seen.set(name, { ...seen, changedMs: seen.changedMs + blindMs })
    for (const [key, found] of values) {
      const name = key.slice('node.'.length)
      if (name === this.#own.node || this.#seen.get(name)?.revision === found.revision) continue
      const member = found.value as Member
      if ((member.protocol ?? 0) > (this.#own.protocol ?? 0)) throw isNewer(member.protocol ?? 0, this.#own.protocol)
      this.#seen.set(name, { member, revision: found.revision, changedMs: nowMs })
    }
    // Its value was removed, after a long time or by an operator.
    for (const name of this.#seen.keys())
      if (!values.has(nodeKey(name)) && this.silentMs(name) > LEASE.ttlMs) this.#seen.delete(name)
    this.#readRevision = revision
    this.#readMs = nowMs
  }

  /**
   * Writes what this node says of itself. Rejects with LogUnavailable, and Refusal data_dir_in_use where another
   * process has taken its name.
   */
  async renew(state: Member['state']): Promise<void> {
    const key = nodeKey(this.#own.node)
    this.#own = { ...this.#own, state, count: this.#own.count + 1 }
    for (let tries = 0; tries < TRIES; tries++) {
      const beganMs = this.#nowMs()
      this.#ownRevision ??= await this.#writtenRevision(key)
      // Null: an earlier write of this process was stored without an answer, or another process has written.
      this.#ownRevision = await this.#keys.put(key, this.#own, this.#ownRevision)
      if (this.#ownRevision === null) continue
      this.#hasName = true
      if (this.ageMs > LEASE.freshMs) this.#late++
      this.#renewedMs = beganMs
      return
    }
  }

  /** Of this node's value. Where this process has written it before, nobody else may. */
  async #writtenRevision(key: string): Promise<number> {
    const found = await this.#keys.get(key)
    if (found === null) return 0
    const member = found.value as Member
    if (this.#hasName && member.process !== this.#own.process) throw isTaken(member)
    return found.revision
  }

  /** Takes shards of nobody, or of nodes that seemed to be gone when all was read last. As in owner-table.ts. */
  take(shards: readonly number[]): Promise<readonly number[]> {
    const { node, process } = this.#own
    return this.#table.take(shards, { node, process }, this.#readRevision)
  }

  /** As in owner-table.ts. */
  async assign(shards: readonly number[], owner: OwnerTable[number]): Promise<readonly number[]> {
    for (const shard of shards) this.#writing.add(shard)
    try {
      return await this.#table.assign(shards, owner)
    } catch (error) {
      this.#late++
      throw error
    } finally {
      for (const shard of shards) this.#writing.delete(shard)
    }
  }
}
