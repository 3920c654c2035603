/**
 * Keeps the resident memory of the process from growing with its store.
 *
 * Every page that LMDB touches stays mapped, together with its neighbours, until the whole store counts as resident.
 * The kernel would take such pages back when it needs them. But memory limits and graphs show a process that grows. So
 * when more than limits.mappedBytesMax are mapped, shards release their maps: one at a time, each between two of its
 * turns. Pages that are used again are mapped from the page cache, without a read from disk.
 *
 * 1. At rest no more is mapped than the bound. Under load, what was mapped since the last check comes on top.
 * 2. A shard whose release did not help rests for limits.mappedRestLooks checks, because something else, such as a
 *    training, uses its map. The others go on.
 *
 * Owns: when maps are released. Leaves out: how (shard-memory.ts, lmdb.ts).
 */
import { readFileSync } from 'node:fs'
import { limits } from '../limits.js'

const PAGE_BYTES = 4096
const STATM = '/proc/self/statm'
/** Field of statm: resident pages that are backed by files (proc(5)). */
const SHARED_FIELD = 2

/** What residency needs of the shards (shard-memory.ts). */
export interface MappedShards {
  readonly count: number
  /** Bytes on disk. */
  sizeBytes(shard: number): number
  /** Releases the map of a shard, as far as nothing else in the process uses it. True where less is mapped then. */
  unmap(shard: number): Promise<boolean>
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

/** Whether releasing the map of a shard helped. */
interface Released {
  /** Number of the check. */
  readonly at: number
  readonly helped: boolean
}

export class Residency {
  readonly #shards: MappedShards
  readonly #failed: (what: string, error: unknown) => void
  readonly #mapped: () => number
  /** By shard: the last release. */
  readonly #released: (Released | undefined)[] = []
  #checks = 0
  #isReleasing = false
  #releasing: Promise<void> = Promise.resolve()
  readonly #timer: NodeJS.Timeout | null

  /** `mapped`: resident bytes of mapped files, without those of the program; null where that is not known. */
  constructor(
    shards: MappedShards,
    failed: (what: string, error: unknown) => void,
    mapped: (() => number) | null = mappedByProgram === null ? null : () => (mappedBytes() ?? 0) - mappedByProgram,
  ) {
    this.#shards = shards
    this.#failed = failed
    this.#mapped = mapped ?? (() => 0)
    this.#timer = mapped === null ? null : setInterval(() => this.check(), limits.mappedLookMs).unref()
  }

  /** Ends the checks; resolves when maps are no longer being released. */
  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#isReleasing = true
    await this.#releasing
  }

  /** Releases maps while too much is mapped. Resolves when that is done. */
  check(): Promise<void> {
    if (this.#isReleasing) return this.#releasing
    this.#checks++
    if (!this.#isOver()) return this.#releasing
    this.#isReleasing = true
    this.#releasing = this.#release()
      .catch((error: unknown) => this.#failed('mapped memory was not released', error))
      .finally(() => void (this.#isReleasing = false))
    return this.#releasing
  }

  #isOver(): boolean {
    return this.#mapped() > limits.mappedBytesMax
  }

  async #release(): Promise<void> {
    for (const shard of this.#inOrder()) {
      this.#released[shard] = { at: this.#checks, helped: await this.#shards.unmap(shard) }
      if (!this.#isOver()) return
    }
  }

  /** Those whose last release is longest ago first, and of these the largest. */
  #inOrder(): number[] {
    const all = Array.from({ length: this.#shards.count }, (_, shard) => ({
      shard,
      bytes: this.#shards.sizeBytes(shard),
      at: this.#released[shard]?.at ?? 0,
    }))
    return all
      .filter(({ shard }) => !this.#rests(shard))
      .sort((a, b) => a.at - b.at || b.bytes - a.bytes)
      .map(({ shard }) => shard)
  }

  #rests(shard: number): boolean {
    const last = this.#released[shard]
    return last !== undefined && !last.helped && this.#checks - last.at <= limits.mappedRestLooks
  }
}
