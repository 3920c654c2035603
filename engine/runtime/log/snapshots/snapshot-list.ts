/**
 * The list of the snapshots that a cluster has of one of its parts: a shard, or the catalog.
 *
 * Owns: the value in the cluster's keys, and which snapshots it names. Leaves out: their files (snapshot-work.ts), the
 * purge (services/cluster/snapshots/).
 *
 * 1. A snapshot is in the list when all its objects are stored and were read back. So whatever the list names is whole,
 *    but for damage that happens later.
 * 2. The list is changed by its revision. Of two nodes that made a snapshot, both are in the list, or the later one
 *    finds that it is not needed.
 * 3. The log may be purged up to the last but one: two snapshots cover what is purged. One that is known to be damaged
 *    does not count, and stays until there are enough others: the list says that the log alone is not the whole.
 */
import type { ClusterKeys } from '../jetstream/cluster-keys.js'

/** Snapshots that are kept. */
export const KEPT = 2

export interface SnapshotFile {
  /** Of the environment: `shard-3`, `catalog` or `integrations`. */
  readonly environment: string
  readonly object: string
  readonly bytes: number
  /** Hexadecimal. */
  readonly sha256: string
}

export interface Snapshot {
  /** The copy has applied the log up to this record. */
  readonly sequence: number
  /** ISO 8601 UTC. */
  readonly madeAt: string
  /** The node that made it. */
  readonly node: string
  readonly files: readonly SnapshotFile[]
  /** Somebody has read it, and it is not what was stored. */
  readonly isDamaged?: boolean
}

/** Where the log may be purged up to; 0 for not at all. */
export function coveredBy(snapshots: readonly Snapshot[]): number {
  return snapshots.filter(({ isDamaged }) => isDamaged !== true)[KEPT - 1]?.sequence ?? 0
}

export class SnapshotList {
  readonly #keys: Pick<ClusterKeys, 'get' | 'put'>
  readonly #key: string

  /** `cluster` is the cluster's id: what another one has left under the same name does not count. */
  constructor(keys: Pick<ClusterKeys, 'get' | 'put'>, cluster: string, part: string) {
    this.#keys = keys
    this.#key = `snapshots.${cluster}.${part}`
  }

  /** Newest first. Rejects with LogUnavailable. */
  async read(): Promise<readonly Snapshot[]> {
    return (await this.#read()).snapshots
  }

  /** Adds a snapshot that is newer than all. False where there is one as new, or newer. */
  async add(snapshot: Snapshot): Promise<boolean> {
    return await this.#change((snapshots) => {
      if (snapshots.some(({ sequence }) => sequence >= snapshot.sequence)) return null
      const whole = [snapshot, ...snapshots.filter(({ isDamaged }) => isDamaged !== true)]
      return whole.length >= KEPT ? whole.slice(0, KEPT) : [snapshot, ...snapshots]
    })
  }

  /** Notes that a snapshot is damaged. */
  async damaged({ files }: Snapshot): Promise<void> {
    const isSame = (one: Snapshot): boolean => one.files[0]?.object === files[0]?.object
    await this.#change((snapshots) =>
      snapshots.some(isSame) ? snapshots.map((one) => (isSame(one) ? { ...one, isDamaged: true } : one)) : null,
    )
  }

  async #read(): Promise<{ readonly snapshots: readonly Snapshot[]; readonly revision: number }> {
    const found = await this.#keys.get(this.#key)
    if (found === null) return { snapshots: [], revision: 0 }
    return { snapshots: found.value as readonly Snapshot[], revision: found.revision }
  }

  async #change(to: (snapshots: readonly Snapshot[]) => readonly Snapshot[] | null): Promise<boolean> {
    for (;;) {
      const { snapshots, revision } = await this.#read()
      const changed = to(snapshots)
      if (changed === null) return false
      if ((await this.#keys.put(this.#key, changed, revision)) !== null) return true
    }
  }
}
