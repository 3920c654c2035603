/**
 * Gives memory back when the shards have nothing to do.
 *
 * Owns: when a thread is idle. Leaves out: what it gives back (shard-memory.ts).
 *
 * 1. A thread gives memory back once after it has worked, and never while it has messages.
 */
import { limits } from '../limits.js'

const LOOK_MS = 1_000

/** What this needs of the shards (shard-memory.ts). */
export interface RestingShards {
  readonly threads: number
  /** Turns of a thread's shards so far, and messages that wait or run there. */
  workOf(thread: number): { readonly turns: number; readonly messages: number }
  /** Makes the thread give back what it does not need. */
  rest(thread: number): Promise<void>
}

interface Seen {
  turns: number
  /** Checks without a new turn. */
  idle: number
  restedAt: number
}

export class Rest {
  readonly #shards: RestingShards
  readonly #failed: (what: string, error: unknown) => void
  readonly #seen: Seen[]
  readonly #timer: NodeJS.Timeout
  /** By thread: the giving back that is under way. */
  readonly #resting = new Map<number, Promise<void>>()

  constructor(shards: RestingShards, failed: (what: string, error: unknown) => void) {
    this.#shards = shards
    this.#failed = failed
    this.#seen = Array.from({ length: shards.threads }, () => ({ turns: 0, idle: 0, restedAt: 0 }))
    this.#timer = setInterval(() => this.check(), LOOK_MS).unref()
  }

  /** Resolves when nothing is being given back. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#resting.values())
  }

  check(): void {
    for (const [thread, seen] of this.#seen.entries()) {
      const { turns, messages } = this.#shards.workOf(thread)
      seen.idle = turns === seen.turns && messages === 0 ? seen.idle + 1 : 0
      seen.turns = turns
      if (seen.idle < limits.restLooks || seen.restedAt === turns) continue
      seen.restedAt = turns
      this.#resting.set(thread, this.#giveBack(thread))
    }
  }

  async #giveBack(thread: number): Promise<void> {
    try {
      await this.#shards.rest(thread)
    } catch (error) {
      this.#failed('memory of a thread was not given back', error)
    }
  }
}
