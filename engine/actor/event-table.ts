/**
 * Events of one job by id: the same rule for the thread that writes and for readers.
 *
 * Owns: how an id finds its record. Leaves out: what is in a record (store/event-record.ts).
 *
 * 1. An id that a client gave is found through `ids`. An id of the service's own is its ingest time in another spelling,
 *    and needs no entry there until a later version of the event moves it.
 * 2. An event has one id: the spelled time of an event with a client's id finds nothing.
 */
import { must } from '../assert.js'
import { DAY_MICROS } from '../clock.js'
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { eventIdOf, microsOfEventId } from '../domain/event/event-id.js'
import { decodeHeader, type RecordHeader } from '../store/event-record.js'
import type { Environment } from '../store/environment.js'
import { idKey, JOB_BYTES, metaKey, timeKey, timeOfValue, timeValue, type ShardTable } from '../store/tables.js'

/** Ten years in microseconds: no process lives longer, or takes events in for later times. */
const AHEAD_MICROS = 10 * 365.25 * DAY_MICROS
/** Ids that are looked at before it is taken for true that there are some ahead. */
const AHEAD_LOOKS_MAX = 64

/** Reads a value; an environment or a turn's store. */
export interface Reads {
  get(table: ShardTable, key: Uint8Array): Uint8Array | undefined
}

/** A record and where it stands. */
export interface FoundEvent {
  readonly micros: number
  readonly record: Uint8Array
  readonly header: RecordHeader
  /** The id has an entry in `ids`. */
  readonly indexed: boolean
}

/** The event with that id, or null. */
export function findEvent(reads: Reads, jobId: number, eventId: string): FoundEvent | null {
  const id = Buffer.from(eventId, 'utf8')
  // Longer than any id that was ever taken in; a store has bounds for keys of its own.
  if (id.length > limits.eventIdBytesMax) return null
  const indexed = reads.get('ids', idKey(jobId, id))
  if (indexed !== undefined) return eventAt(reads, jobId, timeOfValue(indexed), true)
  const micros = microsOfEventId(eventId)
  const found = micros === null ? null : eventAt(reads, jobId, micros, false)
  return found === null || found.header.hasClientId ? null : found
}

/** The event that a message names. @throws Refusal event_not_found. */
export function mustFindEvent(reads: Reads, jobId: number, eventId: string | null): FoundEvent {
  const event = findEvent(reads, jobId, must(eventId, 'the id of an event'))
  if (event === null) throw new Refusal('event_not_found', 'event not found')
  return event
}

/**
 * False where no client of the job gave an id that the service makes for `micros` or later: such an id finds the client's event, and
 * hides that of the service.
 */
export function hasIdsAhead(reads: Pick<Environment, 'range'>, jobId: number, micros: number): boolean {
  const idFrom = (time: number): Buffer => idKey(jobId, Buffer.from(eventIdOf(time)))
  let looks = 0
  for (const { key } of reads.range('ids', {
    from: idFrom(micros),
    to: idFrom(micros + AHEAD_MICROS),
    limit: AHEAD_LOOKS_MAX,
  })) {
    if (++looks === AHEAD_LOOKS_MAX || microsOfEventId(Buffer.from(key).toString('utf8', JOB_BYTES)) !== null)
      return true
  }
  return false
}

/** The time up to which messages are applied, by the last commit of the shard; 0 before the first. */
export function lastTime(reads: Reads): number {
  const value = reads.get('meta', metaKey('last_time'))
  return value === undefined ? 0 : timeOfValue(value)
}

/** The event that came in at `micros`, or null. */
export function eventAt(reads: Reads, jobId: number, micros: number, indexed = false): FoundEvent | null {
  const record = reads.get('events', timeKey(jobId, micros))
  return record === undefined ? null : { micros, record, header: decodeHeader(record), indexed }
}

/** What votes on an event count for: its bucket, or the event itself. */
export function subjectOf(header: RecordHeader, micros: number): Uint8Array {
  return header.bucketId ?? timeValue(micros)
}
