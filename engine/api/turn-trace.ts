/** What happened to a message on its way through its shard, for whoever follows one (traces). */

/** Of the turn that carried it; milliseconds since 1970, with fractions. */
export interface TurnTimes {
  readonly shard: number
  /** Messages in the turn. */
  readonly messages: number
  /** Given to the thread. */
  readonly startedMs: number
  /** The thread began with it; absent where it could not be run as a whole. */
  readonly beganMs?: number | undefined
  /** How long its messages took, and behind them the flushed commit. */
  readonly workMs?: number | undefined
  readonly flushMs?: number | undefined
  /** Its answers are there. */
  readonly finishedMs: number
}

export interface TurnTrace {
  /** Told once, before the message's receiver is. `postedMs`: when it came into its mailbox. */
  ran(postedMs: number, times: TurnTimes): void
}
