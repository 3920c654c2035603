/** The rows of `picks`: votes on events that the service asked for, with what each promised. */
import type { PickedBy } from '../domain/learn/selection/slots.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

export interface PickRow {
  readonly pickedBy: PickedBy
  /** Ingest time of the event voted on. Its record says which bucket it is in. */
  readonly eventMicros: number
  /** Index of the label. */
  readonly label: number
  /** Events that were promised. */
  readonly promised: number
  /** At the vote: events of the bucket, and those of them with this label as their decision. */
  readonly events: number
  readonly decided: number
}

export function encodePick(row: PickRow): Buffer {
  return encodeJsonRow(row)
}

export function decodePick(value: Uint8Array): PickRow {
  return decodeJsonRow(value) as PickRow
}
