/**
 * Which process runs the turns of which shard: the value `shards` of the cluster.
 *
 * Owns: reading it, and changing it. Leaves out: who is to own what (shard-owners.ts).
 *
 * 1. It is changed by its revision, so that of two nodes that want a shard one gets it.
 * 2. Changes of this process are written one after the other. Where another node was first, the rest of a change is
 *    tried again: those shards whose owner is still the one that was seen.
 */
import type { ClusterKeys, KeyValue } from '../../../runtime/log/jetstream/cluster-keys.js'

const KEY = 'shards'
/** How often a change is tried. */
const TRIES = 4

export interface ShardOwner {
  readonly node: string
  readonly process: string
}

/** By shard: who runs its turns. Null: nobody does. */
export type OwnerTable = readonly (ShardOwner | null)[]

export class SharedOwnerTable {
  readonly #keys: Pick<ClusterKeys, 'get' | 'put'>
  #table: OwnerTable
  #revision = 0
  /** The change that is under way. */
  #writing: Promise<unknown> = Promise.resolve()

  constructor(keys: Pick<ClusterKeys, 'get' | 'put'>, shards: number) {
    this.#keys = keys
    this.#table = Array.from({ length: shards }, () => null)
  }

  /** As read last. */
  get table(): OwnerTable {
    return this.#table
  }

  /** Rejects with LogUnavailable. */
  async read(): Promise<void> {
    this.#saw(await this.#keys.get(KEY))
  }

  /**
   * Writes who owns these shards. Returns those that it has changed: another node may have changed some meanwhile.
   * Rejects with LogUnavailable.
   */
  assign(shards: readonly number[], owner: OwnerTable[number]): Promise<readonly number[]> {
    const seen = this.#table
    const written = this.#writing.then(() => this.#write(shards, owner, seen))
    this.#writing = written.catch(() => {})
    return written
  }

  async #write(shards: readonly number[], owner: OwnerTable[number], seen: OwnerTable): Promise<readonly number[]> {
    for (let tries = 0; tries < TRIES; tries++) {
      const rest = shards.filter((shard) => this.#table[shard]?.process === seen[shard]?.process)
      if (rest.length === 0) return []
      const table = this.#table.map((before, shard) => (rest.includes(shard) ? owner : before))
      const revision = await this.#keys.put(KEY, table, this.#revision)
      if (revision !== null) {
        this.#table = table
        this.#revision = revision
        return rest
      }
      await this.read()
    }
    return []
  }

  #saw(found: KeyValue | null): void {
    if (found === null || found.revision <= this.#revision) return
    const table = found.value as OwnerTable
    this.#table = this.#table.map((_, shard) => table[shard] ?? null)
    this.#revision = found.revision
  }
}
