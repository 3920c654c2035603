/**
 * A turn: the messages that go through a shard's thread together, and who waits for the answers.
 *
 * Owns: the memory that both threads see, and the receivers, by place. Leaves out: when a turn runs (mailbox.ts).
 *
 * 1. The memory is shared, not transferred: when a thread dies, the main thread still has the messages and can run them
 *    again (D2).
 * 2. Every receiver is told exactly once.
 */
import { Refusal, type RefusalCode, type RefusalContext } from '../errors.js'
import { epochMs } from '../clock.js'
import { limits } from '../limits.js'
import { assert } from '../assert.js'
import { eventIdOf } from '../event/event-id.js'
import type { JobSettings } from '../job/job.js'
import type { TurnTrace } from '../monitor/turn-trace-service.js'
import type { IngestReceiver } from '../service.js'
import { viewOf } from './event-reply.js'
import { lastStampOf } from './historic.js'
import {
  isEventReply,
  messageBytes,
  readEventReply,
  replyExtra,
  writeMessage,
  REPLY_BYTES,
  type Extra,
  type MessageKind,
} from './message.js'
import type { MailboxEvents } from './mailbox-events.js'
import { stampBehind, stampsOf, type TakeStamps } from './stamps.js'
import { markAt, MARK_BYTES, TURN_BEGUN, TURN_DONE, type TurnResult, type TurnTask } from './turn-task.js'

/** Waits for a message other than an event. Told exactly once. */
export interface ResultReceiver {
  resolved(result: unknown): void
  refused(refusal: Refusal): void
}

export type Receiver = IngestReceiver | ResultReceiver

export class Turn {
  #memory: Buffer
  readonly #replies: Buffer
  readonly #messagesMax: number
  #used = 0
  /** The times of its first message, and of its last. */
  readonly #times = { first: 0, last: 0 }
  /** By place: whose the message is, under which id of the client's (null: in the body, or the service's own), and who waits. */
  readonly #jobs: JobSettings[] = []
  readonly #ids: (string | null)[] = []
  readonly #receivers: Receiver[] = []
  /** Messages that somebody follows; null where nobody does, so that they cost nothing then. */
  #followed: { readonly trace: TurnTrace; readonly postedMs: number }[] | null = null
  /** How often it failed by its own doing. */
  attempts = 0
  /** A run before may have committed its messages. */
  #mayBeApplied = false
  /** Its place in the order of its shard, given each time it is started; 0 before. */
  place = 0
  /** Events that came alone to its shard, ever, and have to be started before it. */
  behindSingles = 0

  /** With room for so many bytes and messages. */
  constructor(bytes: number = limits.turnBytesMax, messages: number = limits.turnMessagesMax) {
    this.#memory = Buffer.from(new SharedArrayBuffer(bytes))
    this.#replies = Buffer.from(new SharedArrayBuffer(REPLY_BYTES * messages + MARK_BYTES))
    this.#messagesMax = messages
  }

  get count(): number {
    return this.#receivers.length
  }

  get bytes(): number {
    return this.#used
  }

  /** True where a message of that size can be added. */
  fits(bytes: number): boolean {
    return this.count < this.#messagesMax && this.#used + bytes <= this.#memory.length
  }

  /** Adds a message; `eventId` null and not in the body: an event gets an id of the service's own. */
  add(
    job: JobSettings,
    kind: MessageKind,
    micros: number,
    eventId: string | null,
    idInBody: boolean,
    body: Uint8Array,
    receiver: Receiver,
  ): void {
    const id = eventId === null ? null : Buffer.from(eventId, 'utf8')
    assert(this.fits(messageBytes(id === null ? 0 : id.length, body.length)), 'the message fits in its turn')
    this.#used = writeMessage(this.#memory, this.#used, kind, job.id, micros, id, idInBody, body)
    if (this.count === 0) this.#times.first = micros
    this.#times.last = lastStampOf({ kind, micros })
    this.#jobs.push(job)
    this.#ids.push(eventId)
    this.#receivers.push(receiver)
    const { trace } = receiver as IngestReceiver
    if (trace !== undefined && trace !== null) (this.#followed ??= []).push({ trace, postedMs: epochMs() })
  }

  /** Makes the times of its messages increase from behind `latest`; returns the last. Before it is started for the first time. */
  stampBehind(latest: number, takeStamps: TakeStamps): number {
    return this.#times.first > latest ? this.#times.last : stampBehind(this.#memory, this.count, latest, takeStamps)
  }

  /** Tells those who follow one of its messages that it came back after so many milliseconds. */
  ran(shard: number, { beganMs, workMs, flushMs }: TurnResult, ms: number): void {
    if (this.#followed === null) return
    const finishedMs = epochMs()
    const times = { shard, messages: this.count, startedMs: finishedMs - ms, beganMs, workMs, flushMs, finishedMs }
    for (const { trace, postedMs } of this.#followed) trace.ran(postedMs, times)
  }

  /** The turn came back without an answer. True where it is to blame: the thread began with it and did not get to its end. */
  failed(): boolean {
    const mark = this.#replies[markAt(this.#replies)]
    if (mark === TURN_BEGUN || mark === TURN_DONE) this.#mayBeApplied = true
    return mark === TURN_BEGUN
  }

  /** What the thread gets. */
  task(shard: number, place: number, settings: readonly JobSettings[], opens: boolean, handsOver: boolean): TurnTask {
    this.#replies[markAt(this.#replies)] = 0
    this.place = place
    return {
      shard,
      place,
      memory: this.#memory.buffer as unknown as SharedArrayBuffer,
      replies: this.#replies.buffer as unknown as SharedArrayBuffer,
      count: this.count,
      settings,
      opens,
      again: this.#mayBeApplied,
      handsOver,
      followed: this.#followed !== null,
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

  /** Tells every receiver what the thread answered, in order; before that `events`, of what came in to jobs that did not change. */
  settle(result: TurnResult, changed: readonly number[], events: Pick<MailboxEvents, 'added'>): void {
    const { extras } = result
    // An event that an earlier run stored may have a later version by now: its own id is still of its first time.
    const stamps = this.#mayBeApplied ? stampsOf(this.#memory, this.count) : null
    for (let i = 0; i < this.#receivers.length; i++) {
      const at = i * REPLY_BYTES
      const receiver = this.#receivers[i] as Receiver
      const extraAt = replyExtra(this.#replies, at)
      const extra = extraAt < 0 ? null : (extras[extraAt] as Extra)
      if (extra !== null && extra.type === 'refusal') {
        receiver.refused(new Refusal(extra.code as RefusalCode, extra.message, extra.context as RefusalContext))
      } else if (isEventReply(this.#replies, at)) {
        const given = extra !== null && extra.type === 'id' ? extra.eventId : (this.#ids[i] as string | null)
        const job = this.#jobs[i] as JobSettings
        const reply = readEventReply(this.#replies, at)
        if (changed.length === 0 || !changed.includes(job.id)) events.added(job, given, reply)
        const id = given ?? eventIdOf(stamps === null ? reply.micros : (stamps[i] as number))
        ;(receiver as IngestReceiver).ingested(viewOf(job, id, reply))
      } else {
        ;(receiver as ResultReceiver).resolved(extra !== null && extra.type === 'result' ? extra.result : null)
      }
    }
  }

  /** Tells every receiver the same no. */
  refuse(refusal: Refusal): void {
    for (const receiver of this.#receivers) receiver.refused(refusal)
  }

  /** One turn a message, in order: finds the one that fails. */
  split(): Turn[] {
    const turns: Turn[] = []
    let at = 0
    for (let i = 0; i < this.count; i++) {
      const idBytes = this.#memory.readUInt16LE(at + 2)
      const bytes = messageBytes(idBytes, this.#memory.readUInt32LE(at + 8))
      const turn = new Turn(bytes, 1)
      this.#memory.copy(turn.#memory, 0, at, at + bytes)
      turn.#used = bytes
      turn.#jobs.push(this.#jobs[i] as JobSettings)
      turn.#ids.push(this.#ids[i] as string | null)
      turn.#receivers.push(this.#receivers[i] as Receiver)
      turn.attempts = this.attempts - 1
      turn.#mayBeApplied = this.#mayBeApplied
      turns.push(turn)
      at += bytes
    }
    return turns
  }

  /** Its memory is worth keeping for other messages. */
  get isReusable(): boolean {
    return this.#messagesMax === limits.turnMessagesMax
  }

  /** Ready for other messages; memory larger than usual is given up. */
  clear(): void {
    this.#used = this.attempts = this.behindSingles = this.place = 0
    this.#mayBeApplied = false
    this.#jobs.length = this.#ids.length = this.#receivers.length = 0
    this.#followed = null
    if (this.#memory.length > limits.turnBytesMax)
      this.#memory = Buffer.from(new SharedArrayBuffer(limits.turnBytesMax))
  }
}
