/** A turn as plain data: what a shard's thread gets to run, and what it gives back. */
import type { JobSettings } from '../job/job.js'
import type { Extra } from './message.js'

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
  /** Somebody wants to know when what of it happened. */
  readonly followed: boolean
}

/** What comes back beside the replies in the shared memory. */
export interface TurnResult {
  readonly extras: readonly Extra[]
  /** Milliseconds that the flushed commit took; absent where nothing was written. */
  readonly flushMs?: number
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
/** What it marks: begun, and committed. */
export const TURN_BEGUN = 1
export const TURN_DONE = 2

/** Where the mark is in the memory of replies. */
export function markAt(replies: Uint8Array): number {
  return replies.length - MARK_BYTES
}
