/**
 * The row of a request with historic events that is stored in pieces: how many there are, and how far it is. It is
 * committed together with the events of a piece.
 */
import type { Label } from '../domain/job/job.js'
import type { Author } from '../api/principal.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

/**
 * `coming`: its parts are being stored, and nothing of it counts yet. `running`: all parts are here, and become events
 * piece by piece. `done`: all events are stored; its sender was not answered yet.
 */
export type HistoryState = 'coming' | 'running' | 'done'

export interface HistoryRow {
  /** Time of the request, microseconds. It is the key. */
  readonly id: number
  readonly by: Author
  /** The number of the upload that it is part of; 0: of none. */
  readonly upload: number
  /** SHA-256 of its body: the same request again is recognised by it. */
  readonly hash: string
  /** The job's labels when it was checked. */
  readonly labels: readonly Label[]
  readonly events: number
  readonly parts: number
  /** Where its text is odd first, and in how many events, if it is not UTF-8. */
  readonly odd: { readonly place: string; readonly events: number } | null
  readonly state: HistoryState
  /** The part that comes next: to be stored while it is coming, later to be taken. */
  readonly next: number
}

export function encodeHistory(row: HistoryRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeHistory(value: Uint8Array): HistoryRow {
  return decodeJsonRow(value) as HistoryRow
}
