/**
 * The lease of the owner: which node runs the cluster's shards now, and at which address.
 *
 * Owns: the value `owner`, taking, renewing and giving it back. Leaves out: when a node wants it (cluster-node.ts).
 *
 * 1. The lease is for liveness only. Two nodes may both believe that they have it: the log refuses one of them.
 * 2. It is changed by its revision, never after a mere read. Time is measured by each node's own clock, from the moment
 *    at which it saw the lease change, so clocks need not agree.
 */
import type { ClusterKeys, KeyValue } from '../../runtime/log/jetstream/cluster-keys.js'

export const LEASE_KEY = 'owner'

/**
 * Milliseconds without a renewal until another node may take the lease; after a renewal while surely no other has taken
 * it; between two renewals; between two tries.
 */
export const LEASE = { ttlMs: 5_000, freshMs: 4_250, renewMs: 1_500, retryMs: 400 } as const

export interface Owner {
  readonly node: string
  /** One time of being the owner: 8 bytes in hexadecimal, which are also the writer of its records. */
  readonly term: string
  /** Where it serves requests. */
  readonly url: string
  /** `taking`: it reads the rest of the log. `leaving`: it finishes. `free`: it has given the lease back. */
  readonly state: 'taking' | 'serving' | 'leaving' | 'free'
}

export class Lease {
  readonly #keys: Pick<ClusterKeys, 'get' | 'put'>
  #revision = 0
  #owner: Owner | null = null
  /** When it was seen to change, or was renewed by this process, milliseconds of this process. */
  #changedMs = performance.now()
  /** When the last write of this process that was stored began, milliseconds; 0 for never. */
  #renewedMs = 0

  constructor(keys: Pick<ClusterKeys, 'get' | 'put'>) {
    this.#keys = keys
  }

  /** As read last. */
  get owner(): Owner | null {
    return this.#owner
  }

  /** Milliseconds since it was seen to change. */
  get ageMs(): number {
    return performance.now() - this.#changedMs
  }

  /** Milliseconds since it was surely this process's. */
  get heldAgeMs(): number {
    return this.#renewedMs === 0 ? Number.POSITIVE_INFINITY : performance.now() - this.#renewedMs
  }

  /** Reads it. Rejects with LogUnavailable. */
  async read(): Promise<Owner | null> {
    this.#saw(await this.#keys.get(LEASE_KEY))
    return this.#owner
  }

  /**
   * Writes it, behind what was read or written last. False where another node was first. Rejects with LogUnavailable.
   */
  async write(owner: Owner): Promise<boolean> {
    const beganMs = performance.now()
    const revision = await this.#keys.put(LEASE_KEY, owner, this.#revision)
    if (revision === null) return this.#isWritten(owner, await this.#keys.get(LEASE_KEY))
    this.#revision = revision
    this.#owner = owner
    this.#changedMs = this.#renewedMs = beganMs
    return true
  }

  /** An earlier write without an answer may have been stored: then the lease is this one's, and is as old as that. */
  #isWritten(owner: Owner, found: KeyValue | null): boolean {
    const before = this.#changedMs
    this.#saw(found)
    const isOwn = this.#owner?.term === owner.term && this.#owner.state === owner.state
    if (isOwn) this.#changedMs = before
    return isOwn
  }

  #saw(found: KeyValue | null): void {
    const revision = found?.revision ?? 0
    // A server that was cut off may tell what was before.
    if (revision <= this.#revision) return
    this.#revision = revision
    this.#owner = found === null ? null : (found.value as Owner)
    this.#changedMs = performance.now()
  }
}
