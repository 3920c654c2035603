/**
 * A job's counters in memory: the row of the store, and what the turn has added to it.
 *
 * 1. The row is written once in each turn that changes it.
 */
import type { Decision } from '../domain/decide/decision.js'
import { decodeStats, emptyStats, encodeStats, type StatsRow } from '../store/rows.js'
import { jobKey } from '../store/tables.js'
import { Decided } from './decision-counts.js'
import type { Reads } from './event-table.js'
import type { TurnStore } from './turn-store.js'

/** Hundredths of a percent: below this a decision has low confidence (C4.4). */
export const LOW_CONFIDENCE = 6_000

/** The row of a job; an empty one where there is none. */
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

  /** True where the turn changed any row of the job. */
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

  /** An event was stored or decided again. It may have no decision, for want of a model or of decision points. */
  countDecision(decision: Decision, micros: number, pending = false): void {
    const row = this.#row
    if (decision.label < 0) return pending ? undefined : this.#countUndecided(micros, 1)
    row.decidedSinceTraining++
    if (decision.outlier) row.outliersSinceTraining++
    if (decision.confidence < LOW_CONFIDENCE) row.lowConfidenceSinceTraining++
    this.decided.decided(decision.label, decision.confidence, decision.outlier)
    this.#changed = true
  }

  /** A decision is replaced by another. Only decisions of the active model were counted since it was installed. */
  uncountDecision(decision: Decision, micros: number): void {
    const row = this.#row
    if (decision.label < 0) return this.#countUndecided(micros, -1)
    if (decision.modelVersion !== row.modelVersion) return
    row.decidedSinceTraining = Math.max(0, row.decidedSinceTraining - 1)
    if (decision.outlier) row.outliersSinceTraining = Math.max(0, row.outliersSinceTraining - 1)
    if (decision.confidence < LOW_CONFIDENCE)
      row.lowConfidenceSinceTraining = Math.max(0, row.lowConfidenceSinceTraining - 1)
    this.#changed = true
  }

  #countUndecided(micros: number, change: 1 | -1): void {
    const row = this.#row
    const { caughtUp } = row
    row.undecided += change
    if (caughtUp !== undefined && micros <= caughtUp.throughMicros)
      row.caughtUp = { ...caughtUp, undecided: caughtUp.undecided + change }
    this.#changed = true
  }

  /** An event without a decision was deleted. */
  undecidedGone(micros: number): void {
    this.#countUndecided(micros, -1)
  }

  /** The turn changed rows of the job without changing a counter. */
  touch(): void {
    this.#changed = true
  }

  nextBucketNumber(): number {
    this.#changed = true
    return this.#row.bucketsMade++
  }

  nextBallotState(): number {
    this.#changed = true
    return ++this.#row.ballotStates
  }

  nextFeedbackSeq(): number {
    this.#changed = true
    return ++this.#row.feedbackSeq
  }

  /** Writes the row, if the turn changed it. */
  write(store: TurnStore): void {
    if (!this.#changed) return
    this.#changed = false
    store.put('stats', jobKey(this.#jobId), encodeStats(this.#row))
  }
}
