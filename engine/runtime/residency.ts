/**
 * Keeps the resident memory of the process from growing with its store.
 *
 * Every page that LMDB touches stays mapped, together with its neighbours, until the whole store counts as resident.
 * The kernel would take such pages back when it needs them. But memory limits and graphs show a process that grows. So
 * when more than limits.mappedBytesMax are mapped, shards release their maps: one at a time, the largest first, each
 * between two of its turns. Pages that are used again are mapped from the page cache, without a read from disk.
 *
 * Owns: when maps are released. Leaves out: how (shards.ts, lmdb.ts).
 */
import { readFileSync } from 'node:fs'
import { limits } from '../limits.js'

const PAGE_BYTES = 4096
const STATM = '/proc/self/statm'
/** Field of statm: resident pages that are backed by files (proc(5)). */
const SHARED_FIELD = 2

/** What residency needs of the shards (shards.ts). */
export interface MappedShards {
  readonly count: number
  /** Bytes on disk. */
  sizeBytes(shard: number): number
  /** Releases the map of a shard, as far as nothing else in the process uses it. */
  unmap(shard: number): Promise<void>
}

/** Resident bytes of mapped files, programs included; null where that is not known (not Linux). */
export function mappedBytes(): number | null {
  try {
    return Number(readFileSync(STATM, 'latin1').split(' ')[SHARED_FIELD]) * PAGE_BYTES
  } catch {
    return null
  }
}

/** Before any shard is opened. */
const mappedByProgram = mappedBytes()

export class Residency {
  readonly #shards: MappedShards
  readonly #failed: (what: string, error: unknown) => void
  readonly #before: number
  /** Checks to skip: releasing all maps was not enough, because something else uses them. */
  #skipped = 0
  #releasing: Promise<void> = Promise.resolve()
  readonly #timer: NodeJS.Timeout | null

  constructor(shards: MappedShards, failed: (what: string, error: unknown) => void, before = mappedByProgram) {
    this.#shards = shards
    this.#failed = failed
    this.#before = before ?? 0
    this.#timer = before === null ? null : setInterval(() => this.#check(), limits.mappedLookMs).unref()
  }

  /** Ends the checks; resolves when maps are no longer being released. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#skipped = Number.POSITIVE_INFINITY
    await this.#releasing
  }

  #check(): void {
    if (this.#skipped > 0) this.#skipped--
    else if (this.#isOver()) {
      this.#skipped = Number.POSITIVE_INFINITY
      this.#releasing = this.#release().then(
        (skipped) => void (this.#skipped = skipped),
        (error: unknown) => {
          this.#failed('mapped memory was not released', error)
          this.#skipped = limits.mappedRestLooks
        },
      )
    }
  }

  #isOver(): boolean {
    return (mappedBytes() ?? 0) - this.#before > limits.mappedBytesMax
  }

  /** Returns how many checks to skip. */
  async #release(): Promise<number> {
    const sizes = Array.from({ length: this.#shards.count }, (_, shard) => this.#shards.sizeBytes(shard))
    const largestFirst = [...sizes.keys()].sort((a, b) => (sizes[b] as number) - (sizes[a] as number))
    for (const shard of largestFirst) {
      await this.#shards.unmap(shard)
      if (!this.#isOver()) return 0
    }
    return limits.mappedRestLooks
  }
}
