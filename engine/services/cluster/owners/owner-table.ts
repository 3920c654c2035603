/**
 * Which process runs the turns of which shard: the value `shards` of the cluster.
 *
 * Owns: reading it, and changing it. Leaves out: who is to own what (shard-owners.ts).
 *
 * 1. It is changed by its revision, so that of two nodes that want a shard one gets it.
 * 2. Changes of this process are written one after the other. Where another node was first, the rest of a change is
 *    tried again: those shards whose owner is still the one that was seen.
 * 3. A shard is taken from a node that seems to be gone only where nobody has written since that was found out
 *    (`take`). A node that comes back writes the table as it is (`touch`): from then on nobody takes its shards because
 *    of what was before.
 * 4. Who loses a shard and gets it again owns it for another time (`since`), and has to begin as the writer again:
 *    others have written meanwhile.
 */
import type { ClusterKeys, KeyValue } from '../../../runtime/log/jetstream/cluster-keys.js'

export const TABLE_KEY = 'shards'
/** How often a change is tried. */
const TRIES = 4

export interface ShardOwner {
  readonly node: string
  readonly process: string
  /** The revision of the table behind which it was named, so that no two times are the same; none in older versions. */
  readonly since?: number
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

  /** Rises with each change, of whoever. */
  get revision(): number {
    return this.#revision
  }

  /** Rejects with LogUnavailable. */
  async read(): Promise<void> {
    this.#saw(await this.#keys.get(TABLE_KEY))
  }

  /** As `assign`, where the table has this revision; otherwise changes nothing. */
  take(shards: readonly number[], owner: OwnerTable[number], revision: number): Promise<readonly number[]> {
    return this.#inTurn(async () => {
      if (this.#revision !== revision) return []
      return (await this.#put(this.#with(shards, owner))) ? shards : []
    })
  }

  /** Writes the table as it is. False where others write it again and again. Rejects with LogUnavailable. */
  touch(): Promise<boolean> {
    return this.#inTurn(async () => {
      for (let tries = 0; tries < TRIES; tries++) {
        await this.read()
        if (await this.#put(this.#table)) return true
      }
      return false
    })
  }

  /**
   * Writes who owns these shards. Returns those that it has changed: another node may have changed some meanwhile.
   * Rejects with LogUnavailable.
   */
  assign(shards: readonly number[], owner: OwnerTable[number]): Promise<readonly number[]> {
    const seen = this.#table
    return this.#inTurn(async () => {
      for (let tries = 0; tries < TRIES; tries++) {
        const rest = shards.filter((shard) => this.#table[shard]?.process === seen[shard]?.process)
        if (rest.length === 0 || (await this.#put(this.#with(rest, owner)))) return rest
        await this.read()
      }
      return []
    })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writing.then(work)
    this.#writing = done.catch(() => {})
    return done
  }

  #with(shards: readonly number[], owner: OwnerTable[number]): OwnerTable {
    const named = owner === null ? null : { ...owner, since: this.#revision }
    return this.#table.map((before, shard) => (shards.includes(shard) ? named : before))
  }

  async #put(table: OwnerTable): Promise<boolean> {
    const revision = await this.#keys.put(TABLE_KEY, table, this.#revision)
    if (revision === null) return false
    this.#table = table
    this.#revision = revision
    return true
  }

  #saw(found: KeyValue | null): void {
    if (found === null || found.revision <= this.#revision) return
    const table = found.value as OwnerTable
    this.#table = this.#table.map((_, shard) => table[shard] ?? null)
    this.#revision = found.revision
  }
}
