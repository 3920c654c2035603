/**
 * Messages: what goes into a mailbox, as bytes (D3, D5).
 *
 * Owns: the layout of a message in a turn's memory and of the reply to it. Leaves out: what a message does
 * (job-actor.ts), how it travels (mailbox.ts).
 *
 * A message: | 0 kind u8 | 1 flags u8 | 2 id bytes u16 | 4 job u32 | 8 body bytes u32 | 12 0 u32 | 16 time f64 | 24 id | body |
 * A reply:   | 0 status u8 | 1 label u8 | 2 flags u8 | 3 bucket state u8 | 4 confidence u16 | 6 0 u16 | 8 time f64 | 16 extra u32 | 20 0 u32 |
 * Numbers are little-endian; times are microseconds.
 */
import type { Refusal } from '../errors.js'
import type { BucketState } from '../learn/knowledge-base.js'

export const MESSAGE_HEADER_BYTES = 24
export const REPLY_BYTES = 24

/** What a message asks of its job's actor. */
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
] as const
export type MessageKind = (typeof messageKinds)[number]

/** The event id may stand in the body. */
const ID_IN_BODY = 1
/** There is an id, even if it is empty. */
const HAS_ID = 2

/** A message as its actor reads it, in the memory of a turn. */
export class Message {
  readonly kind: MessageKind
  readonly jobId: number
  /** When it came in; unique in the service, and the key of what it stores. */
  readonly micros: number
  /** The id in the path, or null. */
  readonly eventId: string | null
  readonly idInBody: boolean
  /** True where an earlier run of its turn has committed it, and the thread died before it could answer. */
  readonly applied: boolean
  /** Where the body lies: of an event no view of it is made. */
  readonly memory: Buffer
  readonly bodyStart: number
  readonly bodyEnd: number

  /** Messages with a time up to `appliedThrough` have been applied before. */
  constructor(memory: Buffer, at: number, appliedThrough: number) {
    const flags = memory[at + 1] as number
    const idStart = at + MESSAGE_HEADER_BYTES
    this.bodyStart = idStart + memory.readUInt16LE(at + 2)
    this.bodyEnd = this.bodyStart + memory.readUInt32LE(at + 8)
    this.memory = memory
    this.kind = messageKinds[memory[at] as number] as MessageKind
    this.jobId = memory.readUInt32LE(at + 4)
    this.micros = memory.readDoubleLE(at + 16)
    this.eventId = (flags & HAS_ID) === 0 ? null : memory.toString('utf8', idStart, this.bodyStart)
    this.idInBody = (flags & ID_IN_BODY) !== 0
    this.applied = this.micros <= appliedThrough
  }

  /** A view of the turn's memory: valid during the turn. */
  get body(): Buffer {
    return this.memory.subarray(this.bodyStart, this.bodyEnd)
  }
}

/** The space a message takes. */
export function messageBytes(idBytes: number, bodyBytes: number): number {
  return (MESSAGE_HEADER_BYTES + idBytes + bodyBytes + 7) & ~7
}

/** Writes a message at `at`; returns where the next one goes. The caller has made sure that it fits. */
export function writeMessage(
  memory: Buffer,
  at: number,
  kind: MessageKind,
  jobId: number,
  micros: number,
  eventId: Uint8Array | null,
  idInBody: boolean,
  body: Uint8Array,
): number {
  const idBytes = eventId === null ? 0 : eventId.length
  memory[at] = messageKinds.indexOf(kind)
  memory[at + 1] = (idInBody ? ID_IN_BODY : 0) | (eventId === null ? 0 : HAS_ID)
  memory.writeUInt16LE(idBytes, at + 2)
  memory.writeUInt32LE(jobId, at + 4)
  memory.writeUInt32LE(body.length, at + 8)
  memory.writeDoubleLE(micros, at + 16)
  if (eventId !== null) memory.set(eventId, at + MESSAGE_HEADER_BYTES)
  memory.set(body, at + MESSAGE_HEADER_BYTES + idBytes)
  return at + messageBytes(idBytes, body.length)
}

/** Reads the message at `at` (Message). */
export function readMessage(memory: Buffer, at: number, appliedThrough: number): Message {
  return new Message(memory, at, appliedThrough)
}

/** The time of the message at `at`, and what depends on it. */
export function readStamp(memory: Buffer, at: number): { kind: MessageKind; micros: number } {
  return { kind: messageKinds[memory[at] as number] as MessageKind, micros: memory.readDoubleLE(at + 16) }
}

/** Gives the message at `at` another time. */
export function writeStamp(memory: Buffer, at: number, micros: number): void {
  memory.writeDoubleLE(micros, at + 16)
}

/** Where the message after the one at `at` begins. */
export function nextMessage(memory: Buffer, at: number): number {
  return at + messageBytes(memory.readUInt16LE(at + 2), memory.readUInt32LE(at + 8))
}

export const bucketStates: readonly BucketState[] = ['new', 'pending', 'in_knowledge_base', 'retrain']

/** How an event fared, as its actor answers. */
export interface EventReply {
  readonly micros: number
  readonly pending: boolean
  /** Index, or -1. */
  readonly label: number
  readonly confidence: number
  readonly outlier: boolean
  readonly bucketState: BucketState
  /** The id, where it came out of the body. */
  readonly idFromBody: string | null
}

/** A refusal as it crosses threads. */
export interface RefusalExtra {
  readonly type: 'refusal'
  readonly code: string
  readonly message: string
  readonly context: object
}

/** What stands behind a reply that does not fit its slot. */
export type Extra =
  | RefusalExtra
  | { readonly type: 'id'; readonly eventId: string }
  | { readonly type: 'result'; readonly result: unknown }

/** What of it is shown, under whichever id. */
export type ShownReply = Omit<EventReply, 'idFromBody'>

const NO_EXTRA = 0xffffffff
const NO_LABEL = 255
const EVENT = 1
const PENDING = 1
const OUTLIER = 2

/** Writes the reply to an event; the index of its extra, or -1. */
export function writeEventReply(memory: Buffer, at: number, reply: ShownReply, extra: number): void {
  memory[at] = EVENT
  memory[at + 1] = reply.label < 0 ? NO_LABEL : reply.label
  memory[at + 2] = (reply.pending ? PENDING : 0) | (reply.outlier ? OUTLIER : 0)
  memory[at + 3] = bucketStates.indexOf(reply.bucketState)
  memory.writeUInt16LE(reply.confidence, at + 4)
  memory.writeDoubleLE(reply.micros, at + 8)
  memory.writeUInt32LE(extra < 0 ? NO_EXTRA : extra, at + 16)
}

/** A refusal as the extra of a reply. */
export function refusalExtra({ code, message, context }: Refusal): RefusalExtra {
  return { type: 'refusal', code, message, context }
}

/** Writes a reply that is all extra. */
export function writeExtraReply(memory: Buffer, at: number, extra: number): void {
  memory[at] = 0
  memory.writeUInt32LE(extra, at + 16)
}

/** Index of the extra of the reply at `at`, or -1. */
export function replyExtra(memory: Buffer, at: number): number {
  const extra = memory.readUInt32LE(at + 16)
  return extra === NO_EXTRA ? -1 : extra
}

/** True where the slot holds an event's reply. */
export function isEventReply(memory: Buffer, at: number): boolean {
  return memory[at] === EVENT
}

export function readEventReply(memory: Buffer, at: number): ShownReply {
  const label = memory[at + 1] as number
  const flags = memory[at + 2] as number
  return {
    micros: memory.readDoubleLE(at + 8),
    pending: (flags & PENDING) !== 0,
    label: label === NO_LABEL ? -1 : label,
    confidence: memory.readUInt16LE(at + 4),
    outlier: (flags & OUTLIER) !== 0,
    bucketState: bucketStates[memory[at + 3] as number] as BucketState,
  }
}
