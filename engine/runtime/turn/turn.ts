/**
 * A turn: the messages that go through a shard's thread together, and who waits for the answers.
 *
 * Owns: the memory that both threads share, and the receivers, by place. Leaves out: when a turn runs (mailbox.ts).
 *
 * 1. The memory is shared, not transferred. When a thread dies, the main thread still has the messages and runs them
 *    again (D2).
 * 2. Every receiver is told exactly once.
 * 3. A turn that the log may have is looked for there when its shard goes to another process, before it runs again.
 *    What was found is a turn of its own then, under the times that it has in the log, and is only answered.
 */
import { assert } from '../../assert.js'
import { epochMs } from '../../clock.js'
import type { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { IngestReceiver } from '../../api/decision-service.js'
import type { TurnTrace } from '../../api/turn-trace.js'
import { putTime } from '../../actor/log/message-marks.js'
import { bytesOf, lastMicrosOf, moveTimesBehind, nextMessage, readTimes, writeMessage } from '../../actor/message.js'
import { REPLY_BYTES } from '../../actor/reply.js'
import {
  progressAt,
  PROGRESS_BYTES,
  TURN_BEGUN,
  TURN_DONE,
  type TurnResult,
  type TurnTask,
} from '../../actor/turn-task.js'
import { LogDoubt } from './log-doubt.js'
import { tellAnswers } from './turn-answers.js'
import { copyMessages, keepMessages } from './turn-memory.js'
import type { MailboxEvents, NewMessage, Receiver, TakeTimes } from './turn-contract.js'

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
  readonly doubt = new LogDoubt()
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
    if (this.doubt.isLogged) return latest
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

  /** What the log has, and what it has not, as turns. */
  #resolved(found: readonly number[]): Turn[] {
    this.doubt.clear()
    const places = found.map((_, place) => place)
    const logged = places.filter((place) => found[place] !== 0).sort((a, b) => Number(found[a]) - Number(found[b]))
    const rest = places.filter((place) => found[place] === 0)
    const turns: Turn[] = []
    if (logged.length > 0) {
      const turn = this.#part(logged)
      turn.doubt.isLogged = turn.#mayBeApplied = true
      for (let i = 0, at = 0; i < turn.count; i++, at = nextMessage(turn.#memory, at))
        putTime(turn.#memory, at, found[logged[i] as number] as number)
      turns.push(turn)
    }
    if (rest.length > 0) turns.push(this.#part(rest))
    return turns
  }

  /** Takes out the messages of other nodes, as a turn of their own; null where there are none. */
  takeForeign(): Turn | null {
    const isForeign = this.#receivers.map(({ moved }) => moved !== undefined)
    const places = isForeign.flatMap((foreign, place) => (foreign ? [place] : []))
    if (places.length === 0) return null
    const foreign = this.#part(places)
    const stays = isForeign.map((one) => !one)
    this.#used = keepMessages(this.#memory, stays)
    for (const list of [this.#jobs, this.#ids, this.#receivers] as unknown[][])
      list.splice(0, list.length, ...list.filter((_, place) => stays[place]))
    return foreign
  }

  /** Tells those that wait for messages of other nodes that these are theirs again. */
  giveBack(): void {
    for (const receiver of this.#receivers) receiver.moved?.(this.doubt.isThere)
  }

  /** It was turned away. What becomes of it: more than one turn where it was looked for in the log. */
  cameBack(how: Pick<TurnResult, 'mayBeLogged' | 'unresolved' | 'found'>): Turn[] {
    this.doubt.away(how)
    return how.found === undefined ? [this] : this.#resolved(how.found)
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
      ...this.doubt.ofTask,
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
    const [replies, jobs, ids, receivers] = [this.#replies, this.#jobs, this.#ids, this.#receivers]
    tellAnswers({ replies, extras, jobs, ids, receivers, times }, changed, events)
  }

  /** Refuses every message. */
  refuse(refusal: Refusal): void {
    for (const receiver of this.#receivers) receiver.refused(refusal)
  }

  /** One turn for each message, in order, to find the one that fails. */
  split(): Turn[] {
    return this.#receivers.map((_, place) => {
      const turn = this.#part([place])
      turn.attempts = this.attempts - 1
      turn.place = 0
      return turn
    })
  }

  /** A turn of the messages at these places. */
  #part(places: readonly number[]): Turn {
    const messages = copyMessages(this.#memory, this.count, places)
    const turn = new Turn(messages.length, places.length)
    turn.#used = messages.copy(turn.#memory)
    for (const place of places) {
      turn.#jobs.push(this.#jobs[place] as JobSettings)
      turn.#ids.push(this.#ids[place] as string | null)
      turn.#receivers.push(this.#receivers[place] as Receiver)
    }
    turn.attempts = this.attempts
    turn.place = this.place
    turn.#mayBeApplied = this.#mayBeApplied
    turn.doubt.take(this.doubt)
    return turn
  }

  /** It has room for as many messages as usual, so it can be used again. */
  get isReusable(): boolean {
    return this.#messagesMax === limits.turnMessagesMax
  }

  /** Makes it ready for other messages. Memory larger than usual is dropped. */
  clear(): void {
    this.#used = this.attempts = this.behindSingles = this.place = 0
    this.#mayBeApplied = false
    this.doubt.clear()
    this.#jobs.length = this.#ids.length = this.#receivers.length = 0
    this.#traces = null
    if (this.#memory.length > limits.turnBytesMax)
      this.#memory = Buffer.from(new SharedArrayBuffer(limits.turnBytesMax))
  }
}
