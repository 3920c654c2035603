/**
 * The row of an event's notes, written by agents and their workflows.
 *
 * It is a row of its own, and the event's record has a flag for it: events without notes pay nothing.
 */
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

/** One note. */
export interface StoredNote {
  /** When it was received, microseconds. */
  readonly atMicros: number
  /** Whose key wrote it. */
  readonly author: string
  /** The text, or another value that the agent sent. */
  readonly notes: unknown
  /** Objects that the agent saved with it, as sent; null for none. */
  readonly savedObjects: unknown
  readonly workflowName: string | null
  readonly workflowId: string | null
  readonly sessionId: string | null
}

export function encodeNotes(notes: readonly StoredNote[]): Buffer {
  return encodeJsonRow({ notes })
}

/** In the order in which they were received. */
export function decodeNotes(value: Uint8Array): readonly StoredNote[] {
  return (decodeJsonRow(value) as { notes: StoredNote[] }).notes
}
