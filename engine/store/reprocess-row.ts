/**
 * The row of a reprocessing task: what it is to decide again, and how far it is. Written in the same commit as the events
 * that a piece of it decided, so that after any crash each event is counted once.
 */
import type { ScalarValue } from '../domain/event/point-value.js'
import type { Filter } from '../domain/query/filter.js'
import { decodeJsonRow, encodeJsonRow } from './rows.js'

/** Which events a task decides again; checked before it is stored. Dates are read as of the time of the request. */
export interface ReprocessSelection {
  /** The field whose value the two dates are compared with. */
  readonly dateField: string
  /** As they were given, both counted in; null for no bound. */
  readonly startDate: ScalarValue | null
  readonly endDate: ScalarValue | null
  /** All of them hold. */
  readonly filters: readonly Filter[]
}

/** Written down; that a task waits for its job to start is seen from the job. */
export type ReprocessState = 'queued' | 'running' | 'finished' | 'cancelled' | 'failed'

export interface ReprocessRow {
  /** When it was asked for, microseconds: its key, and the time up to which events belong to it. */
  readonly id: number
  readonly selection: ReprocessSelection
  /** Whose key asked for it. */
  readonly requestedBy: string
  readonly state: ReprocessState
  /** Why it failed; else ''. */
  readonly message: string
  /** Events that it is to decide again, or null until they are counted. */
  readonly matched: number | null
  /** Ingest time up to which it is done, microseconds; 0 before the first piece. */
  readonly cursor: number
  /** Events that it has decided again. */
  readonly updated: number
  /** Those among them that have another label now. */
  readonly changed: number
  readonly finishedMicros: number | null
}

export function encodeTask(row: ReprocessRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeTask(value: Uint8Array): ReprocessRow {
  return decodeJsonRow(value) as ReprocessRow
}

/** True where nothing of the task is left to do. */
export function isOver({ state }: ReprocessRow): boolean {
  return state !== 'queued' && state !== 'running'
}
