/**
 * What a mailbox takes, what it needs, and whom it tells: the types that its callers and its turns share.
 *
 * Owns: types only. Leaves out: the mailbox (mailbox.ts), what crosses to the thread (turn-task.ts).
 */
import type { Refusal } from '../../errors.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { TurnFacts } from './turn-meter.js'
import type { IngestReceiver } from '../../api/decision-service.js'
import type { MessageContent } from '../../actor/message.js'
import type { ShownReply } from '../../actor/reply.js'
import type { TurnSlots } from '../mailbox/turn-slots.js'
import type { TurnResult, TurnTask } from '../../actor/turn-task.js'

/** Waits for the answer to a message other than an event. Told exactly once. */
export interface ResultReceiver {
  resolved(result: unknown): void
  refused(refusal: Refusal): void
}

export type Receiver = IngestReceiver | ResultReceiver

/** A message on its way into a mailbox. Its caller makes it once; everybody behind it passes the same object on. */
export interface NewMessage extends MessageContent {
  /** The latest settings that the caller knows. */
  readonly job: JobSettings
  readonly receiver: Receiver
}

/**
 * Runs a turn on the thread that owns its shard. Rejects when the turn or its thread failed. `decided` is called where the thread is done
 * with the turn and another thread still has to commit it.
 */
export type RunTurn = (task: TurnTask, decided: () => void) => Promise<TurnResult>

/** Gives the first of `count` times that are the caller's alone, in microseconds. */
export type TakeTimes = (count: number) => number

/** A turn that was committed. */
export interface TurnRan extends TurnFacts {
  /** What was stored and decided (decision-counts.ts). */
  readonly decided: readonly number[]
  /** Jobs for which the turn did more than add events (latest-events.ts). */
  readonly changed: readonly number[]
}

/** Whom a mailbox tells what happens in it. */
export interface MailboxEvents {
  /** A turn has been committed; its receivers are told after this. */
  committed(shard: number, ran: TurnRan): void
  /** An event was added to a job that its turn did not change otherwise; its receiver is told after this. */
  added(job: JobSettings, clientId: string | null, reply: ShownReply): void
  /** A turn failed: its thread died, or a message met a bug. */
  failed(shard: number, error: unknown): void
}

/** What a mailbox is made of. */
export interface MailboxParts {
  readonly shard: number
  readonly run: RunTurn
  readonly events: MailboxEvents
  /** Times for messages that were overtaken. */
  readonly takeTimes: TakeTimes
  /** Those of the shard's thread; absent: the thread has no other shard. */
  readonly slots?: TurnSlots
  /** A turn queues behind another turn of the shard only above this many messages; absent: limits.turnFollowsMin. */
  readonly followsMin?: number
}
