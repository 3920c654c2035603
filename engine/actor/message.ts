/**
 * Messages: what goes into a mailbox, as bytes (D3, D5).
 *
 * Owns: the kinds of messages, their layout in a turn's memory, and their times. Leaves out: what a message does
 * (job-actor.ts), the reply (reply.ts), queues (mailbox.ts).
 *
 * | 0 kind u8 | 1 flags u8 | 2 id bytes u16 | 4 job u32 | 8 bytes after the id u32 | 12 mark u32 | 16 time f64 |
 * | 24 id | origin bytes u8, origin | body |
 * Numbers are little-endian; times are microseconds. Only a message with an origin (origin.ts) has its part.
 *
 * 1. No two messages have the same time. A message with historic events takes one time for each that it may hold.
 * 2. In a cluster a message may get another time on another node. Its mark, and all but its time, stay as they are: so
 *    it is recognised in a log. No node gives a mark twice.
 */
import { limits } from '../limits.js'
import type { JobSettings } from '../domain/job/job.js'
import { doubleAt, fourBytesAt, putDouble, putFourBytes, putTwoBytes, twoBytesAt } from '../store/number-bytes.js'

export const MESSAGE_HEADER_BYTES = 24
/** Where the mark and the time are in the header. */
export const [MARK_AT, TIME_AT] = [12, 16]

/**
 * Kinds of messages, by their number in memory. `collected` and `passed` are for the shard, the others for an actor.
 */
export const messageKinds = [
  'ingest',
  'historic',
  'feedback',
  'resume',
  'install',
  'purge',
  'reprocess',
  'note',
  'task',
  'override',
  'collected',
  'passed',
  'erase',
  'enriched',
  'autonomy',
  'models',
  'replay',
  'findings',
  'history',
] as const
export type MessageKind = (typeof messageKinds)[number]

const INGEST = messageKinds.indexOf('ingest')
/** Messages that are looked at for each one that is wanted. */
const LOOKS_AHEAD = 4
/** Flag: the event id may be in the body. */
const ID_IN_BODY = 1
/** Flag: there is an id, even if it is empty. */
const HAS_ID = 2
/** Flag: there is a mark. */
export const HAS_MARK = 4
/** Flag: there is an origin. */
const HAS_ORIGIN = 8

/** A message, before it has a time. */
export interface MessageContent {
  readonly job: Pick<JobSettings, 'id'>
  readonly kind: MessageKind
  /** The event's id, or null. A new event without one, here or in the body, gets an id made of its time. */
  readonly eventId: string | null
  /** The event's id may be in the body. */
  readonly idInBody: boolean
  readonly body: Uint8Array
  /** Who sent an event, and in which request (origin.ts). */
  readonly origin?: Uint8Array | undefined
  /** As it came from another node (2). */
  readonly mark?: number | undefined
}

/** A message as its actor reads it, in the memory of a turn. */
export class Message {
  readonly kind: MessageKind
  readonly jobId: number
  /** When it arrived. Unique in the service, and the key of what the message stores. */
  readonly micros: number
  /** The id in the path, or null. */
  readonly eventId: string | null
  readonly idInBody: boolean
  /** An earlier run of its turn has committed it; the thread died before it could answer. */
  readonly applied: boolean
  /** Where the body is. The body of an event is read in place: a view for each would cost time. */
  readonly memory: Buffer
  readonly bodyStart: number
  readonly bodyEnd: number
  readonly #originStart: number

  /** Messages with a time up to `appliedThrough` have been applied before. */
  constructor(memory: Buffer, at: number, appliedThrough: number) {
    const flags = memory[at + 1] as number
    const idStart = at + MESSAGE_HEADER_BYTES
    const idEnd = idStart + twoBytesAt(memory, at + 2)
    const hasOrigin = (flags & HAS_ORIGIN) !== 0
    this.#originStart = hasOrigin ? idEnd + 1 : -1
    this.bodyStart = hasOrigin ? idEnd + 1 + (memory[idEnd] as number) : idEnd
    this.bodyEnd = idEnd + fourBytesAt(memory, at + 8)
    this.memory = memory
    this.kind = messageKinds[memory[at] as number] as MessageKind
    this.jobId = fourBytesAt(memory, at + 4)
    this.micros = doubleAt(memory, at + TIME_AT)
    this.eventId = (flags & HAS_ID) === 0 ? null : memory.toString('utf8', idStart, idEnd)
    this.idInBody = (flags & ID_IN_BODY) !== 0
    this.applied = this.micros <= appliedThrough
  }

  /** A view of the turn's memory: valid during the turn. */
  get body(): Buffer {
    return this.memory.subarray(this.bodyStart, this.bodyEnd)
  }

  /** As `body`; undefined for a message without an origin. */
  get origin(): Buffer | undefined {
    return this.#originStart < 0 ? undefined : this.memory.subarray(this.#originStart, this.bodyStart)
  }
}

/** The space that a message takes. */
export function bytesOf({ eventId, body, origin }: Pick<MessageContent, 'eventId' | 'body' | 'origin'>): number {
  const originBytes = origin === undefined ? 0 : 1 + origin.length
  return messageBytes(eventId === null ? 0 : Buffer.byteLength(eventId), originBytes + body.length)
}

function messageBytes(idBytes: number, bytesBehindId: number): number {
  return (MESSAGE_HEADER_BYTES + idBytes + bytesBehindId + 7) & ~7
}

/** Writes a message at `at`; returns where the next one goes. The caller has made sure that it fits. */
export function writeMessage(memory: Buffer, at: number, message: MessageContent, micros: number): number {
  const { job, kind, eventId, idInBody, body, origin, mark } = message
  const idStart = at + MESSAGE_HEADER_BYTES
  const idBytes = eventId === null ? 0 : memory.write(eventId, idStart, 'utf8')
  const idEnd = idStart + idBytes
  const bodyStart = origin === undefined ? idEnd : putOrigin(memory, idEnd, origin)
  memory[at] = messageKinds.indexOf(kind)
  memory[at + 1] =
    (idInBody ? ID_IN_BODY : 0) | (eventId === null ? 0 : HAS_ID) | (origin === undefined ? 0 : HAS_ORIGIN)
  putTwoBytes(memory, at + 2, idBytes)
  putFourBytes(memory, at + 4, job.id)
  putFourBytes(memory, at + 8, bodyStart - idEnd + body.length)
  if (mark !== undefined) putMark(memory, at, mark)
  putDouble(memory, at + TIME_AT, micros)
  memory.set(body, bodyStart)
  return at + messageBytes(idBytes, bodyStart - idEnd + body.length)
}

/** Returns where the body goes. A loop: for few bytes it costs less than a call. */
function putOrigin(memory: Buffer, at: number, origin: Uint8Array): number {
  const { length } = origin
  memory[at] = length
  for (let i = 0; i < length; i++) memory[at + 1 + i] = origin[i] as number
  return at + 1 + length
}

/** Marks the message at `at`. */
export function putMark(memory: Buffer, at: number, mark: number): void {
  memory[at + 1] = (memory[at + 1] as number) | HAS_MARK
  putFourBytes(memory, at + MARK_AT, mark)
}

/** Reads the message at `at`; for `appliedThrough` see Message. */
export function readMessage(memory: Buffer, at: number, appliedThrough: number): Message {
  return new Message(memory, at, appliedThrough)
}

/** The job of the message at `at`. */
export function jobOfMessage(memory: Buffer, at: number): number {
  return memory.readUInt32LE(at + 4)
}

/** The kind of the message at `at`. */
export function kindOfMessage(memory: Buffer, at: number): MessageKind {
  return messageKinds[memory[at] as number] as MessageKind
}

/** Where the message after the one at `at` begins. */
export function nextMessage(memory: Buffer, at: number): number {
  return at + messageBytes(twoBytesAt(memory, at + 2), fourBytesAt(memory, at + 8))
}

/**
 * The times of messages with new events of a job and without ids, at most `most`, among the `count` messages from the
 * one at `at` on. Few messages are looked at: this is for work that may be done ahead.
 */
export function ingestTimes(
  memory: Buffer,
  { at: from, count }: { readonly at: number; readonly count: number },
  jobId: number,
  most: number,
): number[] {
  const times: number[] = []
  const looks = Math.min(count, LOOKS_AHEAD * most)
  for (let i = 0, at = from; i < looks && times.length < most; i++, at = nextMessage(memory, at)) {
    const isWanted = memory[at] === INGEST && ((memory[at + 1] as number) & HAS_ID) === 0
    if (isWanted && memory.readUInt32LE(at + 4) === jobId) times.push(memory.readDoubleLE(at + TIME_AT))
  }
  return times
}

/** How many times a message of that kind takes (1). */
export function timesTaken(kind: MessageKind): number {
  if (kind === 'historic') return limits.historicEventsMax
  return kind === 'history' ? limits.historicEventsPerPiece : 1
}

/** The last time that a message may store something under. */
export function lastMicrosOf(kind: MessageKind, micros: number): number {
  return micros + timesTaken(kind) - 1
}

/** The times of the first `count` messages in a turn's memory. */
export function readTimes(memory: Buffer, count: number): number[] {
  const times: number[] = []
  for (let at = 0; times.length < count; at = nextMessage(memory, at)) times.push(memory.readDoubleLE(at + TIME_AT))
  return times
}

/**
 * Makes the times of the first `count` messages in a turn's memory increase, all after `latest`, and returns the last.
 * Messages that were overtaken get new times from `takeTimes`, which returns the first of `count` times.
 */
export function moveTimesBehind(
  memory: Buffer,
  count: number,
  latest: number,
  takeTimes: (count: number) => number,
): number {
  let last = latest
  for (let i = 0, at = 0; i < count; i++, at = nextMessage(memory, at)) {
    const kind = messageKinds[memory[at] as number] as MessageKind
    let micros = memory.readDoubleLE(at + TIME_AT)
    if (micros <= last) {
      micros = takeTimes(timesTaken(kind))
      memory.writeDoubleLE(micros, at + TIME_AT)
    }
    last = lastMicrosOf(kind, micros)
  }
  return last
}
