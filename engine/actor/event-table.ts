/**
 * Events of a job by id, for the thread that writes and for readers.
 *
 * Owns: how an id leads to a record. Leaves out: what is in a record (event-record.ts).
 *
 * 1. An id from a client is found through `ids`. An id made by the service is the ingest time in another form, and has
 *    no entry in `ids` until a later version of the event takes it over.
 * 2. An event has one id. For an event with a client's id, the id made of its time finds nothing.
 */
import { must } from '../assert.js'
import { DAY_MICROS } from '../clock.js'
import { Refusal } from '../errors.js'
import { limits } from '../limits.js'
import { eventIdOf, microsOfEventId } from '../domain/event/event-id.js'
import { clientIdOf, decodeHeader, type RecordHeader } from '../store/event-record.js'
import type { Environment } from '../store/environment.js'
import {
  idKey,
  JOB_BYTES,
  metaKey,
  requestOfId,
  timeKey,
  timeOfValue,
  timeValue,
  type ShardTable,
} from '../store/tables.js'

/** Ten years in microseconds: no process runs so long, so no event gets a later time. */
const AHEAD_MICROS = 10 * 365.25 * DAY_MICROS
/** Ids to check: after so many the answer is that there are ids ahead. */
const AHEAD_CHECKS_MAX = 64

/** Reads a value: an environment or the store of a turn. */
export interface Reads {
  get(table: ShardTable, key: Uint8Array): Uint8Array | undefined
}

/** A record, and the ingest time that is its key. */
export interface FoundEvent {
  readonly micros: number
  readonly record: Uint8Array
  readonly header: RecordHeader
  /** The id has an entry in `ids`. */
  readonly indexed: boolean
  /** The request that sent the event last (origin.ts); 0 for none. */
  readonly request: number
}

/** The event with that id, or null. */
export function findEvent(reads: Reads, jobId: number, eventId: string): FoundEvent | null {
  const id = Buffer.from(eventId, 'utf8')
  // No stored id is longer, and the store has a bound for keys.
  if (id.length > limits.eventIdBytesMax) return null
  const indexed = reads.get('ids', idKey(jobId, id))
  if (indexed !== undefined) {
    const found = eventAt(reads, jobId, timeOfValue(indexed))
    return found === null ? null : { ...found, indexed: true, request: requestOfId(indexed) }
  }
  const micros = microsOfEventId(eventId)
  const found = micros === null ? null : eventAt(reads, jobId, micros)
  return found === null || found.header.hasClientId ? null : found
}

/** The event with that id. @throws Refusal event_not_found. */
export function mustFindEvent(reads: Reads, jobId: number, eventId: string | null): FoundEvent {
  const event = findEvent(reads, jobId, must(eventId, 'the id of an event'))
  if (event === null) throw new Refusal('event_not_found', 'event not found')
  return event
}

/**
 * Whether a client of the job may have given an id that the service would make for `micros` or later. Such an id finds
 * the client's event and hides the one with the service's id.
 */
export function hasIdsAhead(reads: Pick<Environment, 'range'>, jobId: number, micros: number): boolean {
  const idFrom = (time: number): Buffer => idKey(jobId, Buffer.from(eventIdOf(time)))
  let checks = 0
  for (const { key } of reads.range('ids', {
    from: idFrom(micros),
    to: idFrom(micros + AHEAD_MICROS),
    limit: AHEAD_CHECKS_MAX,
  })) {
    if (++checks === AHEAD_CHECKS_MAX || microsOfEventId(Buffer.from(key).toString('utf8', JOB_BYTES)) !== null)
      return true
  }
  return false
}

/** The time up to which messages are applied, as of the last commit of the shard; 0 before the first. */
export function lastTime(reads: Reads): number {
  const value = reads.get('meta', metaKey('last_time'))
  return value === undefined ? 0 : timeOfValue(value)
}

/** The event with that ingest time, or null. */
export function eventAt(reads: Reads, jobId: number, micros: number): FoundEvent | null {
  const record = reads.get('events', timeKey(jobId, micros))
  return record === undefined ? null : { micros, record, header: decodeHeader(record), indexed: false, request: 0 }
}

/** The id of an event. */
export function idOf({ header, micros, record }: FoundEvent): string {
  const own = header.hasClientId ? clientIdOf(Buffer.from(record.buffer, record.byteOffset, record.byteLength)) : null
  return own ?? eventIdOf(micros)
}

/** The subject of votes on an event: its bucket, or the event itself. */
export function subjectOf(header: RecordHeader, micros: number): Uint8Array {
  return header.bucketId ?? timeValue(micros)
}
