/** The way of one message through its shard, for traces. */

/** Times of the turn that carried the message: milliseconds since 1970, with fractions. */
export interface TurnTimes {
  readonly shard: number
  /** Messages in the turn. */
  readonly messages: number
  /** When it was given to the thread. */
  readonly startedMs: number
  /** When the thread began it; absent where it could not be run as a whole. */
  readonly beganMs?: number | undefined
  /** How long its messages took, and then the flushed commit. */
  readonly workMs?: number | undefined
  readonly flushMs?: number | undefined
  /** When its answers arrived. */
  readonly finishedMs: number
}

export interface TurnTrace {
  /** Called once, before the message's receiver. `postedMs`: when the message entered its mailbox. */
  ran(postedMs: number, times: TurnTimes): void
}
