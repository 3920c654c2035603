/**
 * Notes on events, as agents and their workflows write them (C2.6).
 *
 * Owns: a note as a message, its bounds, and what it changes in the store. Leaves out: the row (note-row.ts), showing
 * notes (export.ts), requests (agent-notes.ts).
 *
 * 1. A note is on one version of an event. When another body arrives under the same id, the event is replaced, and its
 *    notes go with the old version, as its votes do.
 * 2. No note displaces another: where an event is full of notes, one more is refused.
 */
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import type { NoteInput } from '../api/reprocess-service.js'
import { hasNotes, withNotes } from '../store/event-record.js'
import { decodeNotes, encodeNotes, type StoredNote } from '../store/note-row.js'
import { timeKey } from '../store/tables.js'
import type { FoundEvent, Reads } from './event-table.js'
import type { Message } from './message.js'
import type { TurnStore } from './turn-store.js'
import { isDeeperThan } from './votes/feedback.js'

/** The body of a `note` message. @throws Refusal invalid_body for a note that is too long or nested too deep. */
export function encodeNote(note: NoteInput): Buffer {
  check('agent_notes', note.notes, limits.noteCharsMax)
  check('agent_saved_objects', note.savedObjects, limits.noteObjectsCharsMax)
  return Buffer.from(JSON.stringify(note), 'utf8')
}

/** Adds the note in a message's body, once. @throws Refusal limit_exceeded. */
export function addNote(store: TurnStore, jobId: number, event: FoundEvent, { body, micros, applied }: Message): void {
  const notes = readNotes(store, jobId, event)
  if (applied && notes.some(({ atMicros }) => atMicros === micros)) return
  const row = encodeNotes([...notes, { atMicros: micros, ...(JSON.parse(body.toString('utf8')) as NoteInput) }])
  // A note that was applied and is not there was refused then.
  if (applied || notes.length >= limits.notesPerEventMax || row.length > limits.notesBytesMax) {
    throw new Refusal('limit_exceeded', 'the event has no room for another note', {
      details: `at most ${limits.notesPerEventMax} notes of ${limits.notesBytesMax} bytes together`,
    })
  }
  const key = timeKey(jobId, event.micros)
  store.put('notes', key, row)
  if (!hasNotes(event.record)) store.put('events', key, withNotes(event.record))
}

/** The notes on an event, oldest first. */
export function readNotes(
  reads: Reads,
  jobId: number,
  { record, micros }: Pick<FoundEvent, 'record' | 'micros'>,
): readonly StoredNote[] {
  if (!hasNotes(record)) return []
  const row = reads.get('notes', timeKey(jobId, micros))
  return row === undefined ? [] : decodeNotes(row)
}

function check(field: string, value: unknown, charsMax: number): void {
  const wrong = isDeeperThan(value, limits.eventDepthMax)
    ? 'is nested too deep'
    : lengthOf(value) > charsMax
      ? `is longer than ${charsMax} characters`
      : null
  if (wrong === null) return
  const issue = { loc: ['body', field], msg: `Input ${wrong}`, type: 'value_error' }
  throw new Refusal('invalid_body', `body.${field} ${wrong}`, { issues: [issue] })
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value).length
}
