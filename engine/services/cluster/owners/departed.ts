/**
 * Which owners of shards are gone: their process has ended, or nobody has heard of them for as long as a lease.
 *
 * Owns: asking about nodes that are silent. Leaves out: how it is asked (owner-ping.ts, owner-gone.ts).
 *
 * 1. Nobody waits for the question: a node that was stopped does not answer, and other shards go on meanwhile.
 */
import { LEASE } from '../lease.js'
import type { ClusterMembers } from './members.js'
import type { ShardOwner } from './owner-table.js'

/** Milliseconds of silence after which it is asked whether a node is gone. */
const SILENT_MS = 600

export class Departed {
  readonly #members: ClusterMembers
  readonly #isGone: (node: string) => Promise<boolean>
  readonly #found: () => void
  /** Nodes about which is asked now. */
  readonly #asking = new Map<string, Promise<void>>()

  /** `isGone`: whether the process of a node is surely gone. `found` is called when one is. */
  constructor(members: ClusterMembers, isGone: (node: string) => Promise<boolean>, found: () => void) {
    this.#members = members
    this.#isGone = isGone
    this.#found = found
  }

  /** True where the process that owns a shard is known to be gone, or was not live for too long. */
  has({ node, process }: ShardOwner): boolean {
    const member = this.#members.member(node)
    if (member === null || member.process !== process) return true
    const silentMs = this.#members.silentMs(node)
    if (silentMs > LEASE.ttlMs) return true
    if (silentMs > SILENT_MS && !this.#asking.has(node)) this.#asking.set(node, this.#ask(node, process))
    return false
  }

  /** Resolves when nothing is asked any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#asking.values())
  }

  async #ask(node: string, process: string): Promise<void> {
    try {
      if (!(await this.#isGone(node))) return
      this.#members.forget(node, process)
      this.#found()
    } catch {
      // Nothing is known. The next look asks again.
    } finally {
      this.#asking.delete(node)
    }
  }
}
