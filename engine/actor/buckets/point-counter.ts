/**
 * Counts the values at a job's decision points as its events arrive, for the warnings of the job.
 *
 * Owns: which events are counted, and the row `points`. Leaves out: the counts (domain/metrics/point-tally.ts).
 *
 * 1. An event is counted when it is stored; one that is enriched first, when it is enriched. It is not counted again
 *    when it is reprocessed, and stays counted when it is erased, until the job has no events.
 * 2. Events of one bucket are counted together, once in a turn. Only one that begins a bucket can have a new value.
 * 3. Counts change in the turn that stores the event, and are written in its commit.
 */
import type { PointValues } from '../../domain/event/point-value.js'
import { hasBuckets, type JobSettings } from '../../domain/job/job.js'
import { absentPoints, PointTally } from '../../domain/metrics/point-tally.js'
import { decodeRegisters, encodeRegisters } from '../../store/point-row.js'
import { jobKey } from '../../store/tables.js'
import type { JobStats } from '../job-stats.js'
import type { TurnStore } from '../turn-store.js'
import type { KnownAnswer } from './answer-memo.js'
import type { Bucket } from './bucket.js'

export class PointCounter {
  readonly #fingerprint: number
  readonly #jobId: number
  readonly #stats: JobStats
  readonly #tally: PointTally
  readonly #hasPoints: boolean
  /** In jobs without buckets, numbers and texts are learned from even where each is new; ids are not. */
  readonly #idsOnly: boolean
  /** Buckets with events that the tally lacks. */
  readonly #behind: Bucket[] = []
  /** Number of these events. */
  #uncounted = 0
  #changed = false

  constructor(settings: JobSettings, fingerprint: number, store: TurnStore, stats: JobStats) {
    this.#fingerprint = fingerprint
    this.#jobId = settings.id
    this.#stats = stats
    this.#hasPoints = settings.decisionPoints.length > 0
    this.#idsOnly = !hasBuckets(settings.category)
    const row = store.get('points', jobKey(settings.id))
    this.#tally = new PointTally(
      { fingerprint, points: settings.decisionPoints.length },
      stats.row.points ?? null,
      row === undefined ? null : decodeRegisters(row),
    )
  }

  /** True where one that is made for these settings would count in the same way. */
  isFor(settings: JobSettings, fingerprint: number): boolean {
    return this.#fingerprint === fingerprint && this.#idsOnly === !hasBuckets(settings.category)
  }

  /** The values of a new event came as these kinds. Values that came before need not be told again. */
  seeKinds(kinds: Uint8Array): void {
    if (this.#tally.seeKinds(kinds)) this.#changed = true
  }

  /**
   * A new event with these values, in its bucket, if it has one. To be called before the bucket counts it. `kinds`:
   * of the values that were read last.
   */
  count(bucket: Bucket | null, values: () => PointValues, kinds: Uint8Array): void {
    if (!this.#hasPoints) return
    if (bucket === null) return this.countValues(values(), kinds)
    if (bucket.events === 0) this.#tally.see(values(), this.#idsOnly)
    if (bucket.uncounted++ === 0) this.#behind.push(bucket)
    if (++this.#uncounted >= this.#tally.room) this.#settle()
  }

  /** As `countValues`, for one of the events with an answer: they have the same values. */
  countAnswered(answer: KnownAnswer, values: () => PointValues, kinds: Uint8Array): void {
    if (!this.#hasPoints) return
    this.#settle()
    if (answer.toldTo !== this.#tally || answer.toldWindow !== this.#tally.window) {
      this.#tally.see(values(), this.#idsOnly)
      this.seeKinds(kinds)
      answer.toldTo = this.#tally
      answer.toldWindow = this.#tally.window
    }
    this.#tally.add(answer.absent, 1)
    this.#changed = true
  }

  /** An event with these values, which came as these kinds. */
  countValues(values: PointValues, kinds: Uint8Array): void {
    if (!this.#hasPoints) return
    this.#settle()
    this.#tally.see(values, this.#idsOnly)
    this.seeKinds(kinds)
    this.#tally.add(absentPoints(values), 1)
    this.#changed = true
  }

  /** The job has no events any more. */
  clear(): void {
    this.#settle()
    this.#tally.clear()
    this.#changed = true
  }

  /** Adds to the stats what the turn has counted, and writes the registers that it changed. */
  write(store: TurnStore): void {
    this.#settle()
    if (!this.#changed) return
    this.#changed = false
    const registers = this.#tally.changedRegisters
    if (registers !== null) store.put('points', jobKey(this.#jobId), encodeRegisters(registers))
    this.#stats.change({ points: this.#tally.counts() })
  }

  #settle(): void {
    for (const bucket of this.#behind) {
      this.#tally.add(bucket.absent, bucket.uncounted)
      bucket.uncounted = 0
    }
    if (this.#behind.length > 0) this.#changed = true
    this.#behind.length = 0
    this.#uncounted = 0
  }
}
