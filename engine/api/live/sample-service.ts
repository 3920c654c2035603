/** The contract of field statistics: what a sample of events says about which fields may decide. */
import type { FileFormat } from '../../domain/event/input/event-file.js'

/** What the values of a field look like. */
export type FieldKind = 'id' | 'time' | 'number' | 'category' | 'text'

/** What else the values of a field tell: when an event was, or on which host. */
export type Leakage = 'time' | 'host'

export interface FieldStatistics {
  readonly field: string
  readonly kind: FieldKind
  /** Events that have a value. */
  readonly events: number
  /** Different values, up to a bound. */
  readonly values: number
  /** The most frequent values, as texts. */
  readonly examples: readonly string[]
  readonly suggested: boolean
  /** Null: nothing of it was found. */
  readonly leakage: Leakage | null
  /** Why the field is suggested, or why not, as a sentence. */
  readonly reason: string
  /** For each of the first events the number of its value, -1 without one; null where the field cannot decide. */
  readonly codes: readonly number[] | null
}

export interface SampleStatistics {
  readonly events: number
  readonly format: FileFormat
  /** Parts of the sample that are no events. */
  readonly skipped: number
  readonly fields: readonly FieldStatistics[]
  readonly decisionPoints: readonly string[]
  /** The field that has the answers of people, by its name and values; null: none does. */
  readonly answersField: string | null
  /** The field that has the id of an event; null: none is known. */
  readonly idField: string | null
  readonly buckets: number
  /** The share of the events that the 50 largest buckets have, 0 to 1. */
  readonly largestShare: number
}

export interface SampleService {
  /**
   * `points`: decision points in place of those that are suggested. Rejects with invalid_body where there is no event
   * in the bytes, queries_busy, draining.
   */
  statistics(bytes: Uint8Array, points: readonly string[] | null): Promise<SampleStatistics>
}
