/**
 * The nodes of a cluster, for an operator who may be anywhere: which there are, and forgetting one that is gone.
 *
 * Owns: one connection, and what is read over it. Leaves out: what forgetting means for shards (owners/members.ts).
 */
import { connectToCluster, type ClusterAddress } from '../../runtime/log/jetstream/cluster-connection.js'
import { ClusterKeys, type KeyValue } from '../../runtime/log/jetstream/cluster-keys.js'
import { LEASE_KEY, type Owner } from './lease.js'
import { isLive, presenceOf } from './node-claim.js'
import { allNodes, nodeKey, type Member } from './owners/member.js'
import { TABLE_KEY, type OwnerTable } from './owners/owner-table.js'

export interface ListedNode {
  readonly node: string
  readonly url: string
  /** What it said of itself last. */
  readonly state: Member['state']
  /** When that was, milliseconds since the epoch, by the servers' clock. */
  readonly writtenMs: number
  readonly shards: readonly number[]
  /** It owns the catalog. */
  readonly hasCatalog: boolean
}

export class NodeList {
  readonly #keys: ClusterKeys
  readonly #presence: ReturnType<typeof presenceOf>
  readonly close: () => Promise<void>

  /** `name` is that of the service. Null where the servers have no such cluster. Rejects where none answers. */
  static async open(address: ClusterAddress, name: string): Promise<NodeList | null> {
    const connection = await connectToCluster(address)
    const close = (): Promise<void> => connection.close()
    try {
      const keys = await ClusterKeys.openExisting(connection, name)
      if (keys !== null) return new NodeList(keys, presenceOf(connection, name), close)
    } catch (error) {
      await close()
      throw error
    }
    await close()
    return null
  }

  private constructor(keys: ClusterKeys, presence: ReturnType<typeof presenceOf>, close: () => Promise<void>) {
    this.#keys = keys
    this.#presence = presence
    this.close = close
  }

  /** By address. Rejects with LogUnavailable. */
  async nodes(): Promise<readonly ListedNode[]> {
    const [values, table, owner] = await Promise.all([
      this.#keys.all(allNodes),
      this.#keys.get(TABLE_KEY),
      this.#keys.get(LEASE_KEY),
    ])
    const owners = (table?.value ?? []) as OwnerTable
    const lease = owner?.value as Owner | undefined
    const listed = ({ value, storedMs }: KeyValue): ListedNode => {
      const { node, url, state } = value as Member
      const shards = owners.flatMap((one, shard) => (one?.node === node ? [shard] : []))
      return {
        node,
        url,
        state,
        writtenMs: storedMs,
        shards,
        hasCatalog: lease?.node === node && lease.state !== 'free',
      }
    }
    return [...values.values()].map(listed).sort((a, b) => (a.url < b.url ? -1 : 1))
  }

  /** Forgets a node that is gone; a live one stays. Rejects with LogUnavailable. */
  async forget(node: string): Promise<'forgotten' | 'unknown' | 'live'> {
    const found = await this.#keys.get(nodeKey(node))
    if (found === null) return 'unknown'
    if (await isLive({ keys: this.#keys, presence: this.#presence }, found)) return 'live'
    await this.#keys.remove(nodeKey(node), found.revision)
    return 'forgotten'
  }
}
