/**
 * Events that are older, or more, than their job keeps: deleted in the background, the oldest first.
 *
 * Owns: when, and how many. Leaves out: what a job keeps (job/retention.ts), deleting (erasing.ts).
 *
 * 1. What was learned stays: buckets keep their votes, also where their last event goes.
 * 2. Nothing here is remembered: what is too much is seen in the store.
 * 3. One piece is under way at a time, and a busy service is left alone between two.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.js'
import { limits } from '../limits.js'
import type { JobSettings } from '../job/job.js'
import { retentionOf } from '../job/retention.js'
import type { Catalog } from '../resource/catalog.js'
import { encodeErasure, type Erased } from './erasing.js'
import type { Shards } from './shards.js'

export interface RetentionParts {
  readonly catalog: Catalog
  readonly shards: Shards
  /** False while the engine shuts down. */
  accepting(): boolean
  failed(what: string, error: unknown): void
}

const SWEEP_MS = 60_000
const DAY_MICROS = 86_400e6

export class RetentionSweep {
  readonly #parts: RetentionParts
  readonly #clock: Clock
  readonly #timer: NodeJS.Timeout
  #sweeping: Promise<number> | null = null

  constructor(parts: RetentionParts, clock: Clock) {
    this.#parts = parts
    this.#clock = clock
    this.#timer = setInterval(() => {
      this.sweep().catch((error: unknown) => {
        if (parts.accepting()) parts.failed('deleting events that are too old or too many', error)
      })
    }, SWEEP_MS).unref()
  }

  /** Deletes what is too much now; how many. One that is under way is waited for instead. */
  sweep(): Promise<number> {
    return (this.#sweeping ??= this.#sweep().finally(() => (this.#sweeping = null)))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sweeping?.catch(() => {})
  }

  /** A job that cannot be swept keeps none of the others from it. */
  async #sweep(): Promise<number> {
    let deleted = 0
    const failures: unknown[] = []
    for (const { id } of [...this.#parts.catalog.jobs()]) {
      try {
        deleted += await this.#sweepJob(id)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
    return deleted
  }

  async #sweepJob(id: number): Promise<number> {
    let deleted = 0
    for (let job = this.#parts.catalog.job(id); job !== undefined && this.#parts.accepting(); job = this.#parts.catalog.job(id)) {
      const begun = performance.now()
      const times = this.#tooMuch(job)
      if (times.length === 0) break
      const { events } = (await this.#parts.shards.insist(job, 'erase', encodeErasure(times, true))) as Erased
      deleted += events
      const tookMs = performance.now() - begun
      if (this.#parts.shards.messages > 0) await sleep(Math.min(3 * tookMs, limits.reprocessPauseMsMax), undefined, { ref: false })
    }
    return deleted
  }

  /** The oldest of what the job does not keep, at most a piece. */
  #tooMuch(job: JobSettings): number[] {
    const { days, maxEvents } = retentionOf(job)
    if (days === null && maxEvents === null) return []
    const reader = this.#parts.shards.reader(job.shard)
    const oldest = reader.oldest(job.id, limits.reprocessEventsPerPiece)
    const before = days === null ? 0 : this.#clock.nowMicros() - days * DAY_MICROS
    const over = maxEvents === null ? 0 : reader.stats(job).events - maxEvents
    return oldest.filter((micros, place) => micros < before || place < over)
  }
}
