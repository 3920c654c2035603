/**
 * The contract of a turn with its surroundings: what goes into it, who runs it, and who is told what.
 *
 * Owns: types only. Leaves out: the turn (turn.ts), what crosses to the thread (turn-task.ts).
 */
import type { Refusal } from '../../errors.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { IngestReceiver } from '../../api/decision-service.js'
import type { MessageContent } from '../../actor/message.js'
import type { ShownReply } from '../../actor/reply.js'
import type { TurnResult, TurnTask } from '../../actor/turn-task.js'
import type { TurnFacts } from './turn-meter.js'

/** Waits for the answer to a message other than an event. Told exactly once. */
export interface ResultReceiver {
  resolved(result: unknown): void
  refused(refusal: Refusal): void
}

export type Receiver = (IngestReceiver | ResultReceiver) & {
  /** Of another node: told in place of an answer when the shard goes to another process. */
  moved?(mayBeLogged: boolean): void
}

/** A message on its way into a mailbox. The caller makes one object, which is passed on as it is. */
export interface NewMessage extends MessageContent {
  /** The latest settings that the caller knows. */
  readonly job: JobSettings
  readonly receiver: Receiver
}

/**
 * Runs a turn on the thread that owns its shard. Rejects when the turn or its thread failed. Calls `decided` where the
 * thread is done with the turn and another thread still has to commit it.
 */
export type RunTurn = (task: TurnTask, decided: () => void) => Promise<TurnResult>

/** Takes `count` consecutive times, in microseconds, and returns the first. */
export type TakeTimes = (count: number) => number

/** A turn that was committed. */
export interface TurnRan extends TurnFacts {
  /** What was stored and decided (decision-counts.ts). */
  readonly decided: readonly number[]
  /** Jobs for which the turn did more than add events (latest-events.ts). */
  readonly changed: readonly number[]
}

/** Who is told what happens to the turns of a mailbox. */
export interface MailboxEvents {
  /** A turn has been committed; its receivers are told after this. */
  committed(shard: number, ran: TurnRan): void
  /** An event was added to a job that its turn did not change in any other way; its receiver is told after this. */
  added(job: JobSettings, clientId: string | null, reply: ShownReply): void
  /** A turn failed: its thread died, or one of its messages met a bug. */
  failed(shard: number, error: unknown): void
}
