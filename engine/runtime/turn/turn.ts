/**
 * A turn: the messages that go through a shard's thread together, and who waits for the answers.
 *
 * Owns: the memory that both threads share, and the receivers, by place. Leaves out: when a turn runs (mailbox.ts).
 *
 * 1. The memory is shared, not transferred. When a thread dies, the main thread still has the messages and runs them
 *    again (D2).
 * 2. Every receiver is told exactly once.
 */
import { assert } from '../../assert.js'
import { epochMs } from '../../clock.js'
import { Refusal, type RefusalCode, type RefusalContext } from '../../errors.js'
import { limits } from '../../limits.js'
import { eventIdOf } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { IngestReceiver } from '../../api/decision-service.js'
import type { TurnTrace } from '../../api/turn-trace.js'
import { viewOf } from '../../actor/event-reply.js'
import { bytesOf, lastMicrosOf, moveTimesBehind, nextMessage, readTimes, writeMessage } from '../../actor/message.js'
import {
  isEventReply,
  readEventReply,
  replyExtra,
  REPLY_BYTES,
  type Extra,
  type RefusalExtra,
  type ShownReply,
} from '../../actor/reply.js'
import {
  progressAt,
  PROGRESS_BYTES,
  TURN_BEGUN,
  TURN_DONE,
  type TurnResult,
  type TurnTask,
} from '../../actor/turn-task.js'
import type { MailboxEvents, NewMessage, Receiver, ResultReceiver, TakeTimes } from './turn-contract.js'

/** What a mailbox adds to a turn when it begins. */
export type TurnStart = Pick<TurnTask, 'shard' | 'place' | 'settings' | 'opens' | 'handsOver'>

export class Turn {
  #memory: Buffer
  readonly #replies: Buffer
  readonly #messagesMax: number
  #used = 0
  /** The first time of its first message, and the last time of its last. */
  #firstMicros = 0
  #lastMicros = 0
  /** By place: the job, the id that the client gave (null: in the body, or made by the service), and who waits. */
  readonly #jobs: JobSettings[] = []
  readonly #ids: (string | null)[] = []
  readonly #receivers: Receiver[] = []
  /** Traces of messages; null where there are none, so that this costs nothing. */
  #traces: { readonly trace: TurnTrace; readonly postedMs: number }[] | null = null
  /** How often it was to blame for a failure. */
  attempts = 0
  /** An earlier run may have committed its messages. */
  #mayBeApplied = false
  /** The log of its shard may have it, from an earlier run. */
  mayBeLogged = false
  /** Its number in its shard, given each time it begins; 0 before. */
  place = 0
  /** It begins only after this many single events of its shard, counted since the start. */
  behindSingles = 0

  /** Room for so many bytes and messages. */
  constructor(bytes: number = limits.turnBytesMax, messages: number = limits.turnMessagesMax) {
    this.#memory = Buffer.from(new SharedArrayBuffer(bytes))
    this.#replies = Buffer.from(new SharedArrayBuffer(REPLY_BYTES * messages + PROGRESS_BYTES))
    this.#messagesMax = messages
  }

  get count(): number {
    return this.#receivers.length
  }

  get bytes(): number {
    return this.#used
  }

  /** Its messages as bytes. */
  get memory(): SharedArrayBuffer {
    return this.#memory.buffer as unknown as SharedArrayBuffer
  }

  /** True where a message of so many bytes can be added. */
  fits(bytes: number): boolean {
    return this.count < this.#messagesMax && this.#used + bytes <= this.#memory.length
  }

  /** Adds a message that came at `micros`, and copies its body. */
  add(message: NewMessage, micros: number): void {
    assert(this.fits(bytesOf(message)), 'the message fits in its turn')
    const { job, kind, eventId, receiver } = message
    this.#used = writeMessage(this.#memory, this.#used, message, micros)
    if (this.count === 0) this.#firstMicros = micros
    this.#lastMicros = lastMicrosOf(kind, micros)
    // Not the message itself: its body may be part of a large buffer.
    this.#jobs.push(job)
    this.#ids.push(eventId)
    this.#receivers.push(receiver)
    const { trace } = receiver as IngestReceiver
    if (trace !== undefined && trace !== null) (this.#traces ??= []).push({ trace, postedMs: epochMs() })
  }

  /** Makes the times of its messages increase, all after `latest`; returns the last. Only before it begins first. */
  moveBehind(latest: number, takeTimes: TakeTimes): number {
    if (this.#firstMicros > latest) return this.#lastMicros
    return moveTimesBehind(this.#memory, this.count, latest, takeTimes)
  }

  /** Tells the traces of its messages that it came back after so many milliseconds. */
  ran(shard: number, { beganMs, workMs, flushMs }: TurnResult, ms: number): void {
    if (this.#traces === null) return
    const finishedMs = epochMs()
    const times = { shard, messages: this.count, startedMs: finishedMs - ms, beganMs, workMs, flushMs, finishedMs }
    for (const { trace, postedMs } of this.#traces) trace.ran(postedMs, times)
  }

  /** The turn came back without a result. True where it is to blame: the thread began it and did not finish. */
  failed(): boolean {
    const progress = this.#replies[progressAt(this.#replies)]
    if (progress === TURN_BEGUN || progress === TURN_DONE) this.#mayBeApplied = true
    return progress === TURN_BEGUN
  }

  /** What the thread gets to run. */
  task(start: TurnStart): TurnTask {
    this.#replies[progressAt(this.#replies)] = 0
    this.place = start.place
    return {
      shard: start.shard,
      place: start.place,
      memory: this.memory,
      replies: this.#replies.buffer as unknown as SharedArrayBuffer,
      count: this.count,
      settings: start.settings,
      opens: start.opens,
      again: this.#mayBeApplied,
      handsOver: start.handsOver,
      traced: this.#traces !== null,
    }
  }

  /** The latest settings of each job in the turn. */
  jobs(): Map<number, JobSettings> {
    const latest = new Map<number, JobSettings>()
    for (const job of this.#jobs) {
      const known = latest.get(job.id)
      if (known === undefined || known.revision < job.revision) latest.set(job.id, job)
    }
    return latest
  }

  /** Tells every receiver its answer, in order. First tells `events` of each event whose job is not in `changed`. */
  settle({ extras, wasLogged }: TurnResult, changed: readonly number[], events: Pick<MailboxEvents, 'added'>): void {
    // An earlier run may have stored the event, and it may have a later version now: its id is made of its first time.
    const times = this.#mayBeApplied || wasLogged === true ? readTimes(this.#memory, this.count) : null
    for (let i = 0; i < this.#receivers.length; i++) {
      const receiver = this.#receivers[i] as Receiver
      const extra = this.#extraOf(i, extras)
      if (extra?.type === 'refusal') receiver.refused(refusalOf(extra))
      else if (isEventReply(this.#replies, i * REPLY_BYTES)) {
        const clientId = extra?.type === 'id' ? extra.eventId : (this.#ids[i] as string | null)
        const job = this.#jobs[i] as JobSettings
        const reply = readEventReply(this.#replies, i * REPLY_BYTES)
        if (changed.length === 0 || !changed.includes(job.id)) events.added(job, clientId, reply)
        tellEvent(
          receiver as IngestReceiver,
          job,
          clientId ?? (times === null ? null : eventIdOf(times[i] as number)),
          reply,
        )
      } else (receiver as ResultReceiver).resolved(extra?.type === 'result' ? extra.result : null)
    }
  }

  #extraOf(i: number, extras: readonly Extra[]): Extra | null {
    const at = replyExtra(this.#replies, i * REPLY_BYTES)
    return at < 0 ? null : (extras[at] as Extra)
  }

  /** Refuses every message. */
  refuse(refusal: Refusal): void {
    for (const receiver of this.#receivers) receiver.refused(refusal)
  }

  /** One turn for each message, in order, to find the one that fails. */
  split(): Turn[] {
    const turns: Turn[] = []
    let at = 0
    for (let i = 0; i < this.count; i++) {
      const bytes = nextMessage(this.#memory, at) - at
      const turn = new Turn(bytes, 1)
      this.#memory.copy(turn.#memory, 0, at, at + bytes)
      turn.#used = bytes
      turn.#jobs.push(this.#jobs[i] as JobSettings)
      turn.#ids.push(this.#ids[i] as string | null)
      turn.#receivers.push(this.#receivers[i] as Receiver)
      turn.attempts = this.attempts - 1
      turn.#mayBeApplied = this.#mayBeApplied
      turn.mayBeLogged = this.mayBeLogged
      turns.push(turn)
      at += bytes
    }
    return turns
  }

  /** It has room for as many messages as usual, so it can be used again. */
  get isReusable(): boolean {
    return this.#messagesMax === limits.turnMessagesMax
  }

  /** Makes it ready for other messages. Memory larger than usual is dropped. */
  clear(): void {
    this.#used = this.attempts = this.behindSingles = this.place = 0
    this.#mayBeApplied = this.mayBeLogged = false
    this.#jobs.length = this.#ids.length = this.#receivers.length = 0
    this.#traces = null
    if (this.#memory.length > limits.turnBytesMax)
      this.#memory = Buffer.from(new SharedArrayBuffer(limits.turnBytesMax))
  }
}

/** `eventId` null: it is made of the reply's time. */
function tellEvent(receiver: IngestReceiver, job: JobSettings, eventId: string | null, reply: ShownReply): void {
  if (receiver.answered !== undefined) receiver.answered(reply, eventId)
  else receiver.ingested(viewOf(job, eventId ?? eventIdOf(reply.micros), reply))
}

function refusalOf({ code, message, context }: RefusalExtra): Refusal {
  return new Refusal(code as RefusalCode, message, context as RefusalContext)
}
