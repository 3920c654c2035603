/**
 * Retention: purges events that are too old or too many for their job, in the background, oldest first.
 *
 * Owns: when, and which. Leaves out: what a job keeps (domain/job/retention.ts), how far the clock is trusted
 * (retention-clock.ts), deleting (actor/erase.ts).
 *
 * 1. Feedback stays: a bucket keeps its votes even when its last event is purged.
 * 2. The store shows what to purge. The only state is that of the retention clock, which is written once an hour and
 *    when its trust changes.
 * 3. One piece is under way at a time. Where other messages wait, the next piece comes after a pause of three times the
 *    last one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MICROS, isoMicros, type Clock } from '../../clock.js'
import { isRefusal } from '../../errors.js'
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
  readonly resources: ResourceStore
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
const RETRY_MS = 50
const HOUR_MICROS = 3_600e6
/** The row of the retention clock. */
const CLOCK_ROW = Buffer.from('aging')

export class RetentionSweep {
  readonly #deps: RetentionDeps
  readonly #timer: NodeJS.Timeout
  readonly #retentionClock: RetentionClock
  /** As last written. */
  #written: RetentionClockState
  #sweeping: Promise<number> | null = null

  constructor(deps: RetentionDeps) {
    const { store, clock } = deps
    this.#deps = deps
    this.#written = storedState(store) ?? {
      seenMicros: lastStored(deps.shards) ?? clock.nowMicros(),
      doubtedMicros: 0,
      since: null,
    }
    this.#retentionClock = new RetentionClock(this.#written)
    this.#timer = setInterval(() => {
      this.sweep().catch((error: unknown) => {
        if (deps.accepting()) deps.failed('purging events that are too old or too many', error)
      })
    }, SWEEP_MS).unref()
  }

  /** Purges what is due now; resolves with the number of events. A second call waits for the sweep under way. */
  sweep(): Promise<number> {
    return (this.#sweeping ??= this.#sweep().finally(() => (this.#sweeping = null)))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#sweeping?.catch(() => {})
  }

  /** The time from which ages are counted. */
  #now(): number {
    const trustedBefore = this.#retentionClock.trustedAt
    const now = this.#retentionClock.at(this.#deps.clock.nowMicros())
    const { state, trustedAt } = this.#retentionClock
    if (trustedAt !== null && trustedAt !== trustedBefore) {
      const days = Math.round(state.doubtedMicros / DAY_MICROS)
      const what =
        'the clock has jumped ahead by days: until it has run on for a day, ages of events are counted without the jump'
      this.#deps.logs.of('store').warn(what, { days, until: isoMicros(trustedAt) })
    }
    if (trustedAt !== trustedBefore || state.seenMicros - this.#written.seenMicros >= HOUR_MICROS) this.#write(state)
    return now
  }

  /** On a full disk it is written later. */
  #write(state: RetentionClockState): void {
    const batch = new WriteBatch()
    batch.put(watermarksTable, CLOCK_ROW, encodeJsonRow(state))
    if (commitOrWait(this.#deps.store, batch)) this.#written = state
  }

  /** A job that fails does not keep the others from being swept. */
  async #sweep(): Promise<number> {
    let deleted = 0
    const failures: unknown[] = []
    const now = this.#now()
    for (const { id } of [...this.#deps.resources.jobs()]) {
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
      let job = this.#deps.resources.job(id);
      job !== undefined && this.#deps.accepting();
      job = this.#deps.resources.job(id)
    ) {
      const begun = performance.now()
      const times = this.#due(job, now)
      if (times.length === 0) break
      deleted += await this.#purge(job, times)
      const tookMs = performance.now() - begun
      if (this.#deps.shards.messages > 0)
        await sleep(Math.min(3 * tookMs, limits.reprocessPauseMsMax), undefined, { ref: false })
    }
    return deleted
  }

  /**
   * Purges these events; returns how many there were. If the shard takes no message now, none: what the job keeps may be
   * another by the next try.
   */
  async #purge(job: JobSettings, times: readonly number[]): Promise<number> {
    try {
      return ((await this.#deps.shards.ask(job, 'erase', null, encodeErase(times, true))) as Erased).events
    } catch (error) {
      if (!isRefusal(error) || !error.retryable) throw error
      await sleep(RETRY_MS, undefined, { ref: false })
      return 0
    }
  }

  /** The oldest events that the job does not keep, a piece at most. */
  #due(job: JobSettings, now: number): number[] {
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
  const row = store.get(watermarksTable, CLOCK_ROW)
  return row === undefined ? null : (decodeJsonRow(row) as RetentionClockState)
}

/** The latest ingest time in any shard, or null. */
function lastStored(shards: ReadableShards): number | null {
  const last = Math.max(...Array.from({ length: shards.count }, (_, shard) => shards.reader(shard).lastMicros()))
  return last > 0 ? last : null
}
