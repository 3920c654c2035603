/** The values that the nodes of a cluster share, in memory. */
import type { KeyValue } from '../../../engine/runtime/log/jetstream/cluster-keys.js'
import { LogUnavailable } from '../../../engine/runtime/log/turn-log.js'

export class Keys {
  readonly #values = new Map<string, KeyValue>()
  readonly #listeners = new Set<() => void>()
  #revision = 0
  /** The next write is stored and not acknowledged. */
  loses = false
  isAway = false
  /** The servers' clock, milliseconds since the epoch. */
  nowMs = 0

  async get(key: string): Promise<KeyValue | null> {
    if (this.isAway) throw new LogUnavailable('away')
    return this.#values.get(key) ?? null
  }

  async all(pattern: string): Promise<Map<string, KeyValue>> {
    if (this.isAway) throw new LogUnavailable('away')
    const prefix = pattern.slice(0, -1)
    return new Map([...this.#values].filter(([key]) => key.startsWith(prefix)))
  }

  async put(key: string, value: unknown, revision: number): Promise<number | null> {
    if (this.isAway) throw new LogUnavailable('away')
    if ((this.#values.get(key)?.revision ?? 0) !== revision) return null
    this.#values.set(key, { value: structuredClone(value), revision: ++this.#revision, storedMs: this.nowMs })
    for (const listener of this.#listeners) listener()
    if (!this.loses) return this.#revision
    this.loses = false
    throw new LogUnavailable('no answer')
  }

  async remove(key: string, revision: number): Promise<void> {
    if (this.isAway) throw new LogUnavailable('away')
    if ((this.#values.get(key)?.revision ?? 0) <= revision) this.#values.delete(key)
  }

  onWritten(written: () => void): () => void {
    this.#listeners.add(written)
    return () => this.#listeners.delete(written)
  }
}
