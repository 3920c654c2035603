/**
 * Keeps the process's resident memory from growing with its store.
 *
 * Every page that a read or a commit of LMDB touches stays mapped, and its neighbours with it, so that after a while the
 * whole store counts as resident. The kernel would take the pages back when it needs them, but whoever sets a memory limit
 * or looks at a graph sees a process that grows. So when more than limits.mappedBytesMax are mapped, the shards give their
 * maps back, the largest first, one at a time, each between two of its turns; what is used after that is mapped again
 * out of the page cache, without a read from disk.
 *
 * Owns: when. Leaves out: how (shards.ts, lmdb/lmdb.ts).
 */
import { readFileSync } from 'node:fs'
import { limits } from '../limits.js'

const PAGE_BYTES = 4096
const STATM = '/proc/self/statm'
/** Field of statm: resident pages that are backed by files (proc(5)). */
const SHARED_FIELD = 2

/** Shards as they are seen here (shards.ts). */
export interface MappedShards {
  readonly count: number
  /** Bytes on disk. */
  sizeBytes(shard: number): number
  /** Gives the map of a shard back, as far as nobody else has it. */
  unmap(shard: number): Promise<void>
}

/** Bytes of mapped files that are resident, programs included; null where the system does not tell (not Linux). */
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
  /** Looks to leave out: all shards were not enough, because others have the maps open. */
  #resting = 0
  #looking: Promise<void> = Promise.resolve()
  readonly #timer: NodeJS.Timeout | null

  constructor(shards: MappedShards, failed: (what: string, error: unknown) => void, before = mappedByProgram) {
    this.#shards = shards
    this.#failed = failed
    this.#before = before ?? 0
    this.#timer = before === null ? null : setInterval(() => this.#look(), limits.mappedLookMs).unref()
  }

  /** Looks no more; resolves when the look under way has ended. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#resting = Number.POSITIVE_INFINITY
    await this.#looking
  }

  #look(): void {
    if (this.#resting > 0) this.#resting--
    else if (this.#isOver()) {
      this.#resting = Number.POSITIVE_INFINITY
      this.#looking = this.#giveBack().then(
        (restLooks) => void (this.#resting = restLooks),
        (error: unknown) => {
          this.#failed('mapped memory was not given back', error)
          this.#resting = limits.mappedRestLooks
        },
      )
    }
  }

  #isOver(): boolean {
    return (mappedBytes() ?? 0) - this.#before > limits.mappedBytesMax
  }

  /** Returns for how many looks there is nothing to gain. */
  async #giveBack(): Promise<number> {
    const sizes = Array.from({ length: this.#shards.count }, (_, shard) => this.#shards.sizeBytes(shard))
    const largestFirst = [...sizes.keys()].sort((a, b) => (sizes[b] as number) - (sizes[a] as number))
    for (const shard of largestFirst) {
      await this.#shards.unmap(shard)
      if (!this.#isOver()) return 0
    }
    return limits.mappedRestLooks
  }
}
