/** A turn as plain data: what a shard's thread gets to run, and what it gives back. */
import type { JobSettings } from '../job/job.js'
import { REPLY_BYTES, writeExtraReply, type Extra, type RefusalExtra } from './message.js'

/** What a thread gets to run. Plain data; the memory is shared. */
export interface TurnTask {
  readonly shard: number
  readonly memory: SharedArrayBuffer
  readonly replies: SharedArrayBuffer
  readonly count: number
  /** Settings that the thread does not have yet, of jobs in this turn. */
  readonly settings: readonly JobSettings[]
  /** Counts up from turn to turn of a shard: a thread runs no turn before the one in front of it. */
  readonly place: number
  /** The first turn for a thread, or the first after a failure: only such a turn opens a shard. */
  readonly opens: boolean
  /** Its messages may have been applied before. */
  readonly again: boolean
  /** Another thread may commit it, while the shard's goes on. */
  readonly handsOver: boolean
  /** Somebody wants to know when what of it happened. */
  readonly followed: boolean
}

/** What comes back beside the replies in the shared memory. */
export interface TurnResult {
  readonly extras: readonly Extra[]
  /** Milliseconds that the flushed commit took; absent where none was needed, or another thread does it. */
  readonly flushMs?: number
  /** Another thread commits it; the answer leaves only after that. */
  readonly handedOver?: true
  /** It was not run: one in front of it was not, or was not committed. */
  readonly turnedAway?: true
  /** What the thread did was not committed elsewhere: it has to begin with what is. */
  readonly beginsAnew?: true
  /** What was stored and decided, by job (decided.ts). */
  readonly decided?: readonly number[]
  /** Jobs to which more happened than that events came in; absent where that is not known. */
  readonly changed?: readonly number[]
  /** Where it is followed (TurnTimes). */
  readonly beganMs?: number
  readonly workMs?: number
}

/** Behind the replies the thread marks how far it is with the turn. */
export const MARK_BYTES = 8
/** What it marks: begun, and committed, or handed over for that. */
export const TURN_BEGUN = 1
export const TURN_DONE = 2

/** Where the mark is in the memory of replies. */
export function markAt(replies: Uint8Array): number {
  return replies.length - MARK_BYTES
}

/** Marks the turn as begun: from here on, what goes wrong is its own doing. Returns the memory of its replies. */
export function beginTurn(task: TurnTask): Buffer {
  const replies = Buffer.from(task.replies)
  replies[markAt(replies)] = TURN_BEGUN
  return replies
}

/** The same no to every message of the turn. */
export function refuseTurn(task: TurnTask, refusal: RefusalExtra): TurnResult {
  const replies = Buffer.from(task.replies)
  for (let i = 0; i < task.count; i++) writeExtraReply(replies, i * REPLY_BYTES, 0)
  return { extras: [refusal] }
}
