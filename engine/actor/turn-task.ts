/**
 * A turn as plain data: what a shard's thread gets to run, and what it gives back.
 *
 * Owns: what crosses between the threads, and the mark by which the main thread sees how far a turn got. Leaves out: messages (message.ts)
 * and replies (reply.ts) in the shared memory.
 */
import type { JobSettings } from '../domain/job/job.js'
import { REPLY_BYTES, writeExtraReply, type Extra, type RefusalExtra } from './reply.js'

/** What a thread gets to run. Plain data; the memory is shared. */
export interface TurnTask {
  readonly shard: number
  readonly memory: SharedArrayBuffer
  readonly replies: SharedArrayBuffer
  readonly count: number
  /** Settings that the thread does not have yet, of jobs in this turn. */
  readonly settings: readonly JobSettings[]
  /** The number of the turn in its shard, counted up: a thread runs turns in this order only. */
  readonly place: number
  /** The shard's first turn on a thread, or the first after a failure: only such a turn opens the shard. */
  readonly opens: boolean
  /** Its messages may have been applied before. */
  readonly again: boolean
  /** Another thread may commit it, while the shard's thread goes on. */
  readonly handsOver: boolean
  /** Somebody traces a message of it: the result tells its times. */
  readonly followed: boolean
}

/** The result of a turn, beside the replies in the shared memory. */
export interface TurnResult {
  readonly extras: readonly Extra[]
  /** Milliseconds that the flushed commit took; absent where none was needed, or another thread does it. */
  readonly flushMs?: number
  /** Another thread commits it; the answer leaves only after that. */
  readonly handedOver?: true
  /** It was not run, because an earlier turn was not run or not committed. */
  readonly turnedAway?: true
  /** The other thread did not commit it: the shard's thread has to begin again from the store. */
  readonly beginsAnew?: true
  /** What was stored and decided, by job (decision-counts.ts). */
  readonly decided?: readonly number[]
  /** Jobs for which the turn did more than add events; absent where that is not known. */
  readonly changed?: readonly number[]
  /** Only where it is followed (TurnTimes). */
  readonly beganMs?: number
  readonly workMs?: number
}

/** Behind the replies the thread marks how far it got with the turn. */
export const FILTER_BYTES = 8
/** The marks: it has begun; it is committed, or handed over to be committed. */
export const TURN_BEGUN = 1
export const TURN_DONE = 2

/** Where the mark is in the memory of replies. */
export function watermarkAt(replies: Uint8Array): number {
  return replies.length - FILTER_BYTES
}

/** Marks the turn as begun: from here on it is to blame for a failure. Returns the memory of its replies. */
export function beginTurn(task: TurnTask): Buffer {
  const replies = Buffer.from(task.replies)
  replies[watermarkAt(replies)] = TURN_BEGUN
  return replies
}

/** Refuses every message of the turn. */
export function refuseTurn(task: TurnTask, refusal: RefusalExtra): TurnResult {
  const replies = Buffer.from(task.replies)
  for (let i = 0; i < task.count; i++) writeExtraReply(replies, i * REPLY_BYTES, 0)
  return { extras: [refusal] }
}
