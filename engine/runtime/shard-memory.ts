/**
 * Memory of the shards that goes back: mapped pages while too many are mapped, and more when a thread is idle.
 *
 * Owns: what is given back, and that nothing is committed meanwhile. Leaves out: when (residency.ts, rest.ts).
 */
import type { Mailbox } from './mailbox/mailbox.js'
import type { TurnSlots } from './mailbox/turn-slots.js'
import { mappedBytes, Residency } from './residency.js'
import { Rest } from './rest.js'
import type { ShardThreads } from './threads/shard-threads.js'
import type { TurnMeter } from './turn/turn-meter.js'

/** A shard as the main thread sees it. */
export interface ShardParts {
  readonly mailbox: Mailbox
  readonly meter: TurnMeter
  readonly reader: { sizeBytes(): number; refresh(): void; unmap(): void }
}

export interface RestEvents {
  /** Told when the last thread that had work has given memory back: the main thread may do so, too. */
  readonly rested?: (() => void) | undefined
}

export interface ShardMemoryDeps extends RestEvents {
  readonly shards: readonly ShardParts[]
  readonly threads: ShardThreads
  /** By thread. */
  readonly slots: readonly TurnSlots[]
  /** Does `work` while the shards of these mailboxes commit nothing. */
  held<T>(mailboxes: readonly Mailbox[], work: () => Promise<T>): Promise<T>
  failed(what: string, error: unknown): void
}

export class ShardMemory {
  readonly #deps: ShardMemoryDeps
  readonly #residency: Residency
  readonly #rest: Rest

  constructor(deps: ShardMemoryDeps) {
    this.#deps = deps
    this.#residency = new Residency(this, deps.failed)
    this.#rest = new Rest(this, deps.failed)
  }

  get count(): number {
    return this.#deps.shards.length
  }

  get threads(): number {
    return this.#deps.threads.count
  }

  sizeBytes(shard: number): number {
    return this.#part(shard).reader.sizeBytes()
  }

  /**
   * Releases the memory that a shard's thread and the main thread have mapped, between two turns. The map itself goes
   * only when nothing else in the process uses it, such as a training or a query. True where less is mapped then.
   */
  unmap(shard: number): Promise<boolean> {
    return this.#deps.held([this.#part(shard).mailbox], () => this.#unmapNow(shard))
  }

  async #unmapNow(shard: number): Promise<boolean> {
    if (!(await this.#deps.threads.unmap(shard))) return false
    const before = mappedBytes() ?? 0
    this.#part(shard).reader.unmap()
    return (mappedBytes() ?? 0) < before
  }

  /** Turns of a thread's shards so far, and messages that wait or run there. */
  workOf(thread: number): { turns: number; messages: number } {
    let [turns, messages] = [0, 0]
    for (const shard of this.#shardsOf(thread)) {
      const { meter, mailbox } = this.#part(shard)
      turns += meter.turns
      messages += mailbox.length
    }
    return { turns, messages }
  }

  /** A thread that has nothing to do gives back memory, and its spare turns go. Messages that arrive meanwhile wait. */
  async rest(thread: number): Promise<void> {
    const { slots, threads, held, rested } = this.#deps
    slots[thread]?.spares.forget()
    const shards = this.#shardsOf(thread)
    const mailboxes = shards.map((shard) => this.#part(shard).mailbox)
    await held(mailboxes, async () => {
      // It may write what is behind, and reads move on to that.
      await threads.rest(thread)
      for (const shard of shards) this.#part(shard).reader.refresh()
      // The library keeps as many pages as the largest commit has written, until its environment is closed.
      for (const shard of shards) await this.#unmapNow(shard)
      await threads.collect(thread)
    })
    const busy = Array.from({ length: this.threads }, (_, other) => this.workOf(other).messages)
    if (busy.every((messages) => messages === 0)) rested?.()
  }

  /** Resolves when nothing is being given back, and nothing will be. */
  async close(): Promise<void> {
    await this.#rest.close()
    await this.#residency.close()
  }

  #shardsOf(thread: number): number[] {
    return [...this.#deps.shards.keys()].filter((shard) => this.#deps.threads.threadOf(shard) === thread)
  }

  #part(shard: number): ShardParts {
    return this.#deps.shards[shard] as ShardParts
  }
}
