/**
 * A job's counters while its thread works: the row of the store, and what the turn has added to it.
 *
 * 1. Written once a turn, with what it counts.
 */
import { jobKey } from '../store/tables.js'
import { decodeStats, emptyStats, encodeStats, type StatsRow } from '../store/rows.js'
import type { Decision } from '../domain/decide/decision.js'
import { Decided } from './decision-counts.js'
import type { TurnStore } from './turn-store.js'
import type { Reads } from './event-table.js'

/** Below this confidence, in hundredths of a percent, a decision is of low confidence (C4.4). */
export const LOW_CONFIDENCE = 6_000

/** The row of a job; that of a job without events where there is none. */
export function readStats(reads: Reads, jobId: number, labelCount: number): StatsRow {
  const bytes = reads.get('stats', jobKey(jobId))
  return bytes === undefined ? emptyStats(labelCount) : decodeStats(bytes)
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export class JobStats {
  readonly #jobId: number
  readonly #row: Mutable<StatsRow>
  /** What the turn stored and decided. */
  readonly decided = new Decided()
  #changed = false

  constructor(jobId: number, row: StatsRow) {
    this.#jobId = jobId
    this.#row = { ...row }
  }

  get row(): StatsRow {
    return this.#row
  }

  /** True where the turn changed anything of the job. */
  get changed(): boolean {
    return this.#changed
  }

  change(part: Partial<StatsRow>): void {
    Object.assign(this.#row, part)
    this.#changed = true
  }

  /** An event was stored. */
  countEvent(micros: number, newBucket: boolean, pending: boolean): void {
    const row = this.#row
    row.events++
    if (newBucket) row.buckets++
    if (pending) row.pending++
    row.lastEventMicros = micros
    this.decided.stored()
    this.#changed = true
  }

  /** An event was decided, or passed over for want of a model or of decision points. */
  countDecision(decision: Decision): void {
    const row = this.#row
    if (decision.label < 0) return
    row.decidedSinceTraining++
    if (decision.outlier) row.outliersSinceTraining++
    if (decision.confidence < LOW_CONFIDENCE) row.lowConfidenceSinceTraining++
    this.decided.decided(decision.label, decision.confidence, decision.outlier)
    this.#changed = true
  }

  /**
   * The decision of a stored event, which another takes the place of. Only one of the active model was counted since that
   * was installed.
   */
  uncountDecision(decision: Decision): void {
    const row = this.#row
    if (decision.label < 0 || decision.modelVersion !== row.modelVersion) return
    row.decidedSinceTraining = Math.max(0, row.decidedSinceTraining - 1)
    if (decision.outlier) row.outliersSinceTraining = Math.max(0, row.outliersSinceTraining - 1)
    if (decision.confidence < LOW_CONFIDENCE)
      row.lowConfidenceSinceTraining = Math.max(0, row.lowConfidenceSinceTraining - 1)
    this.#changed = true
  }

  /** The turn changed rows of the job that no counter tells of. */
  touch(): void {
    this.#changed = true
  }

  nextBucketNumber(): number {
    this.#changed = true
    return this.#row.bucketsMade++
  }

  nextFeedbackSeq(): number {
    this.#changed = true
    return ++this.#row.feedbackSeq
  }

  /** Writes the row where the turn changed it. */
  write(store: TurnStore): void {
    if (!this.#changed) return
    this.#changed = false
    store.put('stats', jobKey(this.#jobId), encodeStats(this.#row))
  }
}
