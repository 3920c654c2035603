/**
 * A turn as plain data: what a shard's thread gets to run, and what it returns.
 *
 * Owns: what crosses between the threads, and the byte that shows the main thread how far a turn got. Leaves out:
 * messages (message.ts) and replies (reply.ts) in the shared memory.
 */
import type { JobSettings } from '../domain/job/job.js'
import { REPLY_BYTES, writeExtraReply, type Extra, type RefusalExtra } from './reply.js'

/** A turn that the log of its shard may have. */
export interface Unresolved {
  /** It is not in the log before the record behind this one. */
  readonly behind: number
  /** Nothing appends it once the log has a later begin: of another time of owning the shard, or behind this record. */
  readonly since?: number
  readonly begun?: number
}

/** What a thread gets to run. */
export interface TurnTask {
  readonly shard: number
  readonly memory: SharedArrayBuffer
  readonly replies: SharedArrayBuffer
  readonly count: number
  /** Settings of jobs in this turn that the thread does not have yet. */
  readonly settings: readonly JobSettings[]
  /** Number of the turn in its shard, increasing by one: a thread runs turns in this order only. */
  readonly place: number
  /** The shard's first turn on a thread, or its first after a failure. Only such a turn opens the shard. */
  readonly opens: boolean
  /** Its messages may have been applied before. */
  readonly again: boolean
  /** Another thread may commit it while the shard's thread runs the next turn. */
  readonly handsOver: boolean
  /** One of its messages is traced: the result has its times. */
  readonly traced: boolean
  /** The log may have it, from before its shard went to another process: it is looked for first, and not run. */
  readonly unresolved?: Unresolved
  /** The log has it, under the times of its messages: it is only answered. */
  readonly isLogged?: true
  /** Its sequence in the log that feeds the shard (runtime/log/); absent where the store is the log. */
  readonly sequence?: number
}

/** The result of a turn, beside the replies in the shared memory. */
export interface TurnResult {
  readonly extras: readonly Extra[]
  /** Milliseconds of the flushed commit; absent where none was needed, or another thread does it. */
  readonly flushMs?: number
  /** Another thread commits it; answers leave only after that. */
  readonly handedOver?: true
  /** It was not run, because an earlier turn was not run or not committed. */
  readonly turnedAway?: true
  /**
   * It was turned away, and the log of its shard may have it. `mayBeLogged`: as long as the shard stays here it is
   * recognised by its times; true where no more is known. `unresolved`: it has to be looked for now.
   */
  readonly mayBeLogged?: Unresolved | true
  readonly unresolved?: Unresolved
  /** It was turned away, and looked for: the times under which the log has its messages; 0 for not at all. */
  readonly found?: readonly number[]
  /** Its messages may have been applied before it came to the mailbox's thread, from the shard's log. */
  readonly wasLogged?: true
  /** Another node has run it: nothing is committed here yet. */
  readonly ranElsewhere?: true
  /** The other thread failed to commit it: the shard has to be opened again. */
  readonly beginsAnew?: true
  /** What was stored and decided, by job (decision-counts.ts). */
  readonly decided?: readonly number[]
  /** Jobs for which the turn did more than add events; absent where that is not known. */
  readonly changed?: readonly number[]
  /** Only where it is traced (TurnTimes). */
  readonly beganMs?: number
  readonly workMs?: number
}

/** After the replies: how far the thread got with the turn. */
export const PROGRESS_BYTES = 8
/** It has begun. */
export const TURN_BEGUN = 1
/** It is committed, or handed over to be committed. */
export const TURN_DONE = 2

/** Where the progress byte is in the memory of replies. */
export function progressAt(replies: Uint8Array): number {
  return replies.length - PROGRESS_BYTES
}

/** Notes that the turn has begun: from here on it is to blame for a failure. Returns the memory of its replies. */
export function beginTurn(task: TurnTask): Buffer {
  const replies = Buffer.from(task.replies)
  replies[progressAt(replies)] = TURN_BEGUN
  return replies
}

/** True where the turn was run and committed; false where it was turned away, or refused as a whole. */
export function isApplied(result: TurnResult): boolean {
  return result.decided !== undefined
}

/** Refuses every message of the turn. */
export function refuseTurn(task: TurnTask, refusal: RefusalExtra): TurnResult {
  const replies = Buffer.from(task.replies)
  for (let i = 0; i < task.count; i++) writeExtraReply(replies, i * REPLY_BYTES, 0)
  return { extras: [refusal] }
}
