/**
 * Events that are older, or more, than their job keeps: deleted in the background, the oldest first.
 *
 * Owns: when, and how many. Leaves out: what a job keeps (job/retention.ts), whether the clock is believed (retention-clock.ts), deleting
 * (erase.ts).
 *
 * 1. What was learned stays: buckets keep their votes, also where their last event goes.
 * 2. What is too much is seen in the store; what is remembered is how far the clock is believed, once an hour or when that changes.
 * 3. One piece is under way at a time, and a busy service is left alone between two.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MICROS, isoMicros, type Clock } from '../../clock.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import { retentionOf } from '../../domain/job/retention.js'
import type { ResourceStore } from '../../resource/resource-store.js'
import type { Logs } from '../monitor/log/log.js'
import { commitOrWait } from '../../store/commit-or-wait.js'
import { WriteBatch, type Environment } from '../../store/environment.js'
import { decodeJsonRow, encodeJsonRow } from '../../store/json-row.js'
import { RetentionClock, type RetentionClockState } from './retention-clock.js'
import { encodeErase, type Erased } from '../../actor/erase.js'
import { watermarksTable } from '../verify/watermarks.js'
import type { ReadableShards } from '../read/job-reader.js'

export interface RetentionDeps {
  readonly catalog: ResourceStore
  readonly logs: Logs
  readonly shards: ReadableShards
  /** The catalog's environment. */
  readonly store: Environment
  readonly clock: Clock
  /** False while the engine shuts down. */
  accepting(): boolean
  failed(what: string, error: unknown): void
}

const SWEEP_MS = 60_000
const HOUR_MICROS = 3_600e6
const AGING = Buffer.from('aging')

export class RetentionSweep {
  readonly #deps: RetentionDeps
  readonly #timer: NodeJS.Timeout
  readonly #retentionClock: RetentionClock
  /** As it was written last. */
  #written: RetentionClockState
  #sweeping: Promise<number> | null = null

  constructor(deps: RetentionDeps) {
    const { store, clock } = deps
    this.#deps = deps
    this.#written = storedState(store) ?? {
      seenMicros: lastKnown(deps.shards) ?? clock.nowMicros(),
      doubtedMicros: 0,
      since: null,
    }
    this.#retentionClock = new RetentionClock(this.#written)
    this.#timer = setInterval(() => {
      this.sweep().catch((error: unknown) => {
        if (deps.accepting()) deps.failed('deleting events that are too old or too many', error)
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

  /** What ages are counted from. */
  #now(): number {
    const doubted = this.#retentionClock.believedAt
    const now = this.#retentionClock.at(this.#deps.clock.nowMicros())
    const { state, believedAt } = this.#retentionClock
    if (believedAt !== null && believedAt !== doubted) {
      const days = Math.round(state.doubtedMicros / DAY_MICROS)
      const what =
        'the clock is days ahead of what it was: by their age, events are deleted as if it were not, until it has gone on so for a day'
      this.#deps.logs.of('store').warn(what, { days, until: isoMicros(believedAt) })
    }
    if (believedAt !== doubted || state.seenMicros - this.#written.seenMicros >= HOUR_MICROS) this.#write(state)
    return now
  }

  /** A full disk lets it wait. */
  #write(state: RetentionClockState): void {
    const batch = new WriteBatch()
    batch.put(watermarksTable, AGING, encodeJsonRow(state))
    if (commitOrWait(this.#deps.store, batch)) this.#written = state
  }

  /** A job that cannot be swept keeps none of the others from it. */
  async #sweep(): Promise<number> {
    let deleted = 0
    const failures: unknown[] = []
    const now = this.#now()
    for (const { id } of [...this.#deps.catalog.jobs()]) {
      try {
        deleted += await this.#sweepJob(id, now)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
    return deleted
  }

  async #sweepJob(id: number, now: number): Promise<number> {
    let deleted = 0
    for (
      let job = this.#deps.catalog.job(id);
      job !== undefined && this.#deps.accepting();
      job = this.#deps.catalog.job(id)
    ) {
      const begun = performance.now()
      const times = this.#tooMuch(job, now)
      if (times.length === 0) break
      const { events } = (await this.#deps.shards.insist(job, 'erase', encodeErase(times, true))) as Erased
      deleted += events
      const tookMs = performance.now() - begun
      if (this.#deps.shards.messages > 0)
        await sleep(Math.min(3 * tookMs, limits.reprocessPauseMsMax), undefined, { ref: false })
    }
    return deleted
  }

  /** The oldest of what the job does not keep, at most a piece. */
  #tooMuch(job: JobSettings, now: number): number[] {
    const { days, maxEvents } = retentionOf(job)
    if (days === null && maxEvents === null) return []
    const reader = this.#deps.shards.reader(job.shard)
    const oldest = reader.oldest(job.id, limits.reprocessEventsPerPiece)
    const before = days === null ? 0 : now - days * DAY_MICROS
    const over = maxEvents === null ? 0 : reader.stats(job).events - maxEvents
    return oldest.filter((micros, place) => micros < before || place < over)
  }
}

function storedState(store: Environment): RetentionClockState | null {
  const row = store.get(watermarksTable, AGING)
  return row === undefined ? null : (decodeJsonRow(row) as RetentionClockState)
}

/** When anything was stored last, or null. */
function lastKnown(shards: ReadableShards): number | null {
  const last = Math.max(...Array.from({ length: shards.count }, (_, shard) => shards.reader(shard).lastMicros()))
  return last > 0 ? last : null
}
