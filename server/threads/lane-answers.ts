/**
 * The answers of the main thread to one HTTP thread: records in a ring, which the thread is woken to read.
 *
 * Owns: the ring of answers, answers that find no room, which labels the thread knows. Leaves out: what is answered
 * (main-lane.ts).
 *
 * 1. An answer that finds no room waits here, and all later ones behind it. There are at most as many as requests under
 *    way.
 * 2. The thread is woken at the end of a round, once for all answers of the round.
 */
import type { MessagePort } from 'node:worker_threads'
import { atRoundEnd, type EventAnswer, type IngestReceiver, type JobHandle, type Refusal } from '../../engine/index.js'
import type { ByteRing } from './byte-ring.js'
import { RECORD_BYTES, tells, writeEvent, writeTold } from './records.js'
import { WAKE } from './thread-lane.js'

/** Milliseconds until answers without room are tried again. */
const RETRY_MS = 5

/** Passes the answer of one event to its thread. */
export class EventPasser implements IngestReceiver {
  readonly #answers: LaneAnswers
  readonly #token: number
  readonly #job: JobHandle
  readonly origin: Uint8Array
  readonly isAlone: boolean

  // biome-ignore lint/complexity/useMaxParams: made for every event, so without an object for its arguments.
  constructor(answers: LaneAnswers, token: number, job: JobHandle, origin: Uint8Array, isAlone: boolean) {
    this.#answers = answers
    this.#token = token
    this.#job = job
    this.origin = origin
    this.isAlone = isAlone
  }

  answered(answer: EventAnswer, eventId: string | null): void {
    // The answer to a single event says nothing of labels.
    if (!this.isAlone) this.#answers.tellLabels(this.#job)
    this.#answers.tellEvent(this.#token, answer, eventId)
  }

  ingested(): void {
    throw new Error('assertion failed: an answer is passed as it is')
  }

  refused(refusal: Refusal): void {
    this.#answers.refuse(this.#token, refusal)
  }
}

export class LaneAnswers {
  readonly #answers: ByteRing
  readonly #port: MessagePort
  readonly #labels = new Map<number, JobHandle['labels']>()
  /** Answers without room. */
  readonly #told: Buffer[] = []
  #toldTimer: NodeJS.Timeout | null = null
  #rings = false
  #closed = false
  /** The answer that is being written: null where it is in the ring. */
  #aside: Buffer | null = null

  constructor(answers: ByteRing, port: MessagePort) {
    this.#answers = answers
    this.#port = port
  }

  close(): void {
    this.#closed = true
    if (this.#toldTimer !== null) clearTimeout(this.#toldTimer)
  }

  refuse(token: number, { code, message, context }: Refusal): void {
    this.tell(tells.refusal, token, Buffer.from(JSON.stringify({ code, message, context })))
  }

  /** Tells the labels of a job where the thread does not know them. */
  tellLabels({ id, labels }: JobHandle): void {
    if (this.#labels.get(id) === labels) return
    this.#labels.set(id, labels)
    this.tell(tells.labels, 0, Buffer.from(JSON.stringify(labels)), id)
  }

  tellEvent(token: number, answer: EventAnswer, eventId: string | null): void {
    const bytes = RECORD_BYTES + (eventId === null ? 0 : Buffer.byteLength(eventId))
    const at = this.#reserve(bytes)
    writeEvent(this.#aside ?? this.#answers.bytes, at, token, answer, eventId)
    this.#commit()
  }

  tell(kind: number, token: number, text: Uint8Array, job = 0): void {
    const at = this.#reserve(RECORD_BYTES + text.length)
    const out = this.#aside ?? this.#answers.bytes
    writeTold(out, at, kind, token, job)
    out.set(text, at + RECORD_BYTES)
    this.#commit()
  }

  #reserve(bytes: number): number {
    const at = this.#told.length > 0 ? -1 : this.#answers.reserve(bytes)
    this.#aside = at < 0 ? Buffer.alloc(bytes) : null
    return Math.max(at, 0)
  }

  #commit(): void {
    if (this.#aside === null) this.#answers.commit()
    else this.#told.push(this.#aside)
    if (this.#aside !== null) this.#toldTimer ??= setTimeout(() => this.#tellRest(), RETRY_MS)
    if (this.#rings) return
    this.#rings = true
    atRoundEnd(this.#ring)
  }

  readonly #ring = (): void => {
    this.#rings = false
    if (!this.#closed && this.#answers.ring()) this.#port.postMessage(WAKE)
  }

  /** Writes answers that found no room. */
  #tellRest(): void {
    this.#toldTimer = null
    let done = 0
    for (const told of this.#told) {
      const at = this.#answers.reserve(told.length)
      if (at < 0) break
      this.#answers.bytes.set(told, at)
      this.#answers.commit()
      done++
    }
    this.#told.splice(0, done)
    if (done > 0) this.#ring()
    if (this.#told.length > 0 && !this.#closed) this.#toldTimer = setTimeout(() => this.#tellRest(), RETRY_MS)
  }
}
