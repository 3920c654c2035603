/**
 * The row of a reprocessing task: which events it decides again, and its progress. It is committed together with the
 * events that the task has just decided, so each event is counted once even after a crash.
 */
import type { ScalarValue } from '../domain/event/point-value.js'
import type { Filter } from '../domain/query/filter.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

/**
 * Which events a task decides again. Checked before it is stored. Relative dates count from the time of the request.
 */
export interface ReprocessSelection {
  /** The field that is compared with the two dates. */
  readonly dateField: string
  /** As sent, both included; null for no bound. */
  readonly startDate: ScalarValue | null
  readonly endDate: ScalarValue | null
  /** All of them must hold. */
  readonly filters: readonly Filter[]
}

/** The stored state. Whether a task waits for its job to start is seen from the job. */
export type ReprocessState = 'queued' | 'running' | 'finished' | 'cancelled' | 'failed'

export interface ReprocessRow {
  /** Time of the request, microseconds. It is the key, and the task covers the events up to it. */
  readonly id: number
  readonly selection: ReprocessSelection
  /** Whose key sent the request. */
  readonly requestedBy: string
  readonly state: ReprocessState
  /** Why it failed, or ''. */
  readonly message: string
  /** Number of events to decide again, or null until they are counted. */
  readonly matched: number | null
  /** Ingest time up to which it is done, microseconds; 0 at first. */
  readonly cursor: number
  /** Number of events decided again. */
  readonly updated: number
  /** Number of them that have another label now. */
  readonly changed: number
  readonly finishedMicros: number | null
  /** The service made it, for events that never had a decision. */
  readonly isCatchUp?: true
}

export function encodeTask(row: ReprocessRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeTask(value: Uint8Array): ReprocessRow {
  return decodeJsonRow(value) as ReprocessRow
}

/** True if nothing is left to do. */
export function isOver({ state }: ReprocessRow): boolean {
  return state !== 'queued' && state !== 'running'
}
