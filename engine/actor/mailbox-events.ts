/** What a mailbox asks of the thread behind it, and what it tells of itself. */
import type { TurnFacts } from '../monitor/turn-meter.js'
import type { JobSettings } from '../job/job.js'
import type { ShownReply } from './message.js'
import type { TurnResult, TurnTask } from './turn-task.js'

/**
 * Runs a turn on the thread that owns its shard; rejects when the turn or its thread failed. `decided` is called when that thread is done
 * with it and only its commit, by another, is still to come.
 */
export type RunTurn = (task: TurnTask, decided: () => void) => Promise<TurnResult>

/** A turn that was committed, for whoever watches. */
export interface TurnRan extends TurnFacts {
  /** What was stored and decided (decided.ts). */
  readonly decided: readonly number[]
  /** Jobs to which more happened than that events came in (latest-events.ts). */
  readonly changed: readonly number[]
}

/** What a mailbox tells of itself. */
export interface MailboxEvents {
  /** A turn has been committed, before its receivers are told. */
  committed(shard: number, ran: TurnRan): void
  /** An event came in, to a job to which nothing else happened in its turn; before its receiver is told. */
  added(job: JobSettings, clientId: string | null, reply: ShownReply): void
  /** A turn failed: its thread died, or a message met a bug. */
  failed(shard: number, error: unknown): void
}
