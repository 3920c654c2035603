/**
 * The row of an event's notes: what agents and their workflows wrote down about it.
 *
 * A row of its own, and a mark in the event's record that there is one: events without notes pay nothing for them.
 */
import { decodeJsonRow, encodeJsonRow } from './rows.js'

/** One note. */
export interface StoredNote {
  /** When it came in, microseconds. */
  readonly atMicros: number
  /** Whose key wrote it. */
  readonly author: string
  /** The text, or what else the agent gave for it. */
  readonly notes: unknown
  /** What the agent kept beside it, as given; null for nothing. */
  readonly savedObjects: unknown
  readonly workflowName: string | null
  readonly workflowId: string | null
  readonly sessionId: string | null
}

export function encodeNotes(notes: readonly StoredNote[]): Buffer {
  return encodeJsonRow({ notes })
}

/** In the order in which they came in. */
export function decodeNotes(value: Uint8Array): readonly StoredNote[] {
  return (decodeJsonRow(value) as { notes: StoredNote[] }).notes
}
