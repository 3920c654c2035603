/**
 * Who makes the snapshot of a part now, so that two nodes do not do the same work.
 *
 * 1. Two that both make one do no harm: the list takes the first (snapshot-list.ts).
 * 2. A claim is renewed while the work goes on. A node that sees no change of it for a while takes it.
 */
import type { ClusterKeys } from '../../../runtime/log/jetstream/cluster-keys.js'

const RENEW_MS = 5_000
const STALE_MS = 20_000

interface Claim {
  /** Null: nobody. */
  readonly node: string | null
  readonly at: number
}

export class SnapshotClaim {
  readonly #keys: Pick<ClusterKeys, 'get' | 'put'>
  readonly #key: string
  readonly #node: string
  #seen = 0
  #seenMs = 0
  #timer: NodeJS.Timeout | null = null

  constructor(keys: Pick<ClusterKeys, 'get' | 'put'>, part: string, node: string) {
    this.#keys = keys
    this.#key = `snapshotting.${part}`
    this.#node = node
  }

  /** False where another node has it. Rejects with LogUnavailable. */
  async take(): Promise<boolean> {
    const found = await this.#keys.get(this.#key)
    const { revision, value } = found ?? { revision: 0, value: null }
    if (revision !== this.#seen || this.#seenMs === 0) [this.#seen, this.#seenMs] = [revision, performance.now()]
    const { node = null } = (value ?? {}) as Partial<Claim>
    const isFree = node === null || node === this.#node || performance.now() - this.#seenMs > STALE_MS
    return isFree && (await this.#write(this.#node))
  }

  async release(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    await this.#write(null).catch(() => {})
  }

  async #write(node: string | null): Promise<boolean> {
    const claim: Claim = { node, at: Date.now() }
    const written = await this.#keys.put(this.#key, claim, this.#seen)
    if (written === null) return false
    this.#seen = written
    this.#seenMs = performance.now()
    if (node !== null) this.#timer = setTimeout(() => void this.#write(node).catch(() => {}), RENEW_MS).unref()
    return true
  }
}
