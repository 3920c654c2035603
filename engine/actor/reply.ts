/**
 * Replies: what a shard's thread answers to a message, as bytes (D3).
 *
 * Owns: the layout of a reply in a turn's memory, and the extras that cross beside it. Leaves out: what is replied
 * (event-reply.ts), the receivers (turn.ts).
 *
 * | 0 status u8 | 1 label u8 | 2 flags u8 | 3 bucket state u8 | 4 confidence u16 | 6 0 u16 | 8 time f64 |
 * | 16 extra u32 | 20 0 u32 |
 * Numbers are little-endian; times are microseconds.
 */
import { autonomies } from '../domain/autonomy/passage.js'
import type { Refusal } from '../errors.js'
import type { EventAnswer, ShownEvent, Stored } from '../api/event-answer.js'
import type { BucketState } from '../api/decision-service.js'
import { doubleAt, fourBytesAt, putDouble, putFourBytes, putTwoBytes, twoBytesAt } from '../store/number-bytes.js'

export const REPLY_BYTES = 24

export const storedWays: readonly Stored[] = ['new', 'replaced', 'same']

export const bucketStates: readonly BucketState[] = ['new', 'pending', 'in_knowledge_base', 'retrain']

/** The reply to an event. */
export interface EventReply extends EventAnswer {
  /** The id, where the main thread does not know it: it was in the body, or is one of its own (S32). */
  readonly idToTell: string | null
}

/** A refusal as it crosses threads. */
export interface RefusalExtra {
  readonly type: 'refusal'
  readonly code: string
  readonly message: string
  readonly context: object
}

/** The part of a reply that does not fit in its bytes. */
export type Extra =
  | RefusalExtra
  | { readonly type: 'id'; readonly eventId: string }
  | { readonly type: 'result'; readonly result: unknown }

/** The reply as the main thread shows it; the id is in the turn or in the request. */
export type ShownReply = ShownEvent

const NO_EXTRA = 0xffffffff
const NO_LABEL = 255
const EVENT = 1
const PENDING = 1
const OUTLIER = 2
const [AUTONOMY_SHIFT, STORED_SHIFT] = [2, 4]
const AUTONOMY_MASK = 3

/** Writes the reply to an event. `extra` is the index of its extra, or -1. */
export function writeEventReply(memory: Buffer, at: number, reply: EventAnswer, extra: number): void {
  memory[at] = EVENT
  memory[at + 1] = reply.label < 0 ? NO_LABEL : reply.label
  memory[at + 2] =
    (reply.pending ? PENDING : 0) |
    (reply.outlier ? OUTLIER : 0) |
    (autonomies.indexOf(reply.autonomy) << AUTONOMY_SHIFT) |
    (storedWays.indexOf(reply.stored) << STORED_SHIFT)
  memory[at + 3] = bucketStates.indexOf(reply.bucketState)
  putTwoBytes(memory, at + 4, reply.confidence)
  putDouble(memory, at + 8, reply.micros)
  putFourBytes(memory, at + 16, extra < 0 ? NO_EXTRA : extra)
}

/** A refusal as the extra of a reply. */
export function refusalExtra({ code, message, context }: Refusal): RefusalExtra {
  return { type: 'refusal', code, message, context }
}

/** How an actor answers: with the decision of an event, or with the result of any other message. */
export type ActorReply = EventReply | { readonly result: unknown }

/** Writes a reply, and adds to `extras` what does not fit in the memory. */
export function writeReply(memory: Buffer, at: number, reply: ActorReply, extras: Extra[]): void {
  if ('result' in reply) return writeExtraReply(memory, at, extras.push({ type: 'result', result: reply.result }) - 1)
  const { idToTell } = reply
  writeEventReply(memory, at, reply, idToTell === null ? -1 : extras.push({ type: 'id', eventId: idToTell }) - 1)
}

/** Writes a reply that consists of an extra. */
export function writeExtraReply(memory: Buffer, at: number, extra: number): void {
  memory[at] = 0
  memory.writeUInt32LE(extra, at + 16)
}

/** Index of the extra of the reply at `at`, or -1. */
export function replyExtra(memory: Buffer, at: number): number {
  const extra = fourBytesAt(memory, at + 16)
  return extra === NO_EXTRA ? -1 : extra
}

/** True where the reply is to an event. */
export function isEventReply(memory: Buffer, at: number): boolean {
  return memory[at] === EVENT
}

export function readEventReply(memory: Buffer, at: number): EventAnswer {
  const label = memory[at + 1] as number
  const flags = memory[at + 2] as number
  return {
    micros: doubleAt(memory, at + 8),
    pending: (flags & PENDING) !== 0,
    label: label === NO_LABEL ? -1 : label,
    confidence: twoBytesAt(memory, at + 4),
    outlier: (flags & OUTLIER) !== 0,
    bucketState: bucketStates[memory[at + 3] as number] as BucketState,
    autonomy: autonomies[(flags >> AUTONOMY_SHIFT) & AUTONOMY_MASK] as ShownReply['autonomy'],
    stored: storedWays[flags >> STORED_SHIFT] as Stored,
  }
}
