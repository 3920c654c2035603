/**
 * The lane of an HTTP thread: its requests to the main thread, and the answers, through two rings in shared memory.
 *
 * Owns: who waits for which answer, which keys are known here, how much is under way. Leaves out: what the main thread
 * does with a request (main-lane.ts), bytes (records.ts, byte-ring.ts).
 *
 * 1. Requests reach the main thread in the order in which they were made. So the lines of a stream keep their order.
 * 2. A key is served here once the main thread knows it. What a key may do is checked here only to save work: the main
 *    thread checks every request again. A key that it refuses is forgotten here.
 * 3. What is under way is bounded: a request that finds no room is refused with mailbox_full, as by a full mailbox.
 * 4. The main thread is woken at the end of a round, once for all requests of the round.
 */
import type { MessagePort } from 'node:worker_threads'
import {
  atRoundEnd,
  eventIdOf,
  Refusal,
  type IngestReceiver,
  type JobHandle,
  type Principal,
  type RefusalCode,
  type Scope,
  viewOf,
} from '../../engine/index.js'
import { ownerOfRate } from '../http/rate-limit.js'
import type { ByteRing } from './byte-ring.js'
import { copyOf, type FromThread } from './messages.js'
import { ASK_BYTES, asks, readEvent, readEventId, RECORD_BYTES, tells, writeAsk } from './records.js'
import type { SharedState } from './shared-state.js'

/** Wakes the other thread. */
export const WAKE = 0
/** Requests under way, at most. */
const UNDER_WAY_MAX = 65_536
/** Bytes of streams under way, above which the streams wait. */
const STREAM_BYTES_MAX = 16 * 1024 * 1024
/** Keys that are known, and those that are being learned at a time. */
const KEYS_MAX = 4_096
const LEARNING_MAX = 256
/** Answers that are told in one go. */
const ANSWERS_AT_ONCE = 4_096

/** Waits for an answer other than an event's. Told exactly once. */
export interface JsonReceiver {
  /** JSON text, valid during the call. */
  told(text: Uint8Array): void
  refused(refusal: Refusal): void
}

export interface LaneRequest {
  readonly kind: (typeof asks)['event' | 'line' | 'get' | 'vote']
  readonly secret: string
  readonly job: number
  /** The number of a stream, or 0. */
  readonly stream: number
  /** As in Ask; absent for none. */
  readonly request?: number
  readonly eventId: string | null
  readonly body: Uint8Array
}

/** A key that the main thread knows. */
interface KnownKey {
  readonly id: number
  readonly principal: Principal
}

/** What the main thread tells of a key. */
export interface KeyFacts extends Omit<Principal, 'scopes'> {
  readonly scopes: readonly Scope[]
  /** The places in the shared state of the caller, and of whose rate it is. */
  readonly place: number
  readonly ratePlace: number
}

/** A request under way. */
interface Waiting {
  readonly receiver: IngestReceiver | JsonReceiver
  readonly job: number
  readonly eventId: string | null
  readonly secret: string
  /** Bytes of a stream, or 0. */
  readonly streamBytes: number
}

export class ThreadLane {
  readonly #requests: ByteRing
  readonly #answers: ByteRing
  readonly #port: MessagePort
  readonly #shared: SharedState
  readonly #waiting: (Waiting | null)[] = []
  readonly #free: number[] = []
  #streamBytes = 0
  readonly #keys = new Map<string, KnownKey>()
  readonly #secrets = new WeakMap<Principal, string>()
  /** Keys that are being learned, by number. */
  readonly #learning = new Map<number, string>()
  #keyIds = 0
  readonly #labels = new Map<number, JobHandle['labels']>()
  #rings = false

  constructor(requests: ByteRing, answers: ByteRing, port: MessagePort, shared: SharedState) {
    this.#requests = requests
    this.#answers = answers
    this.#port = port
    this.#shared = shared
  }

  /** The owner of a key that is known here, or null. */
  principalOf(secret: string): Principal | null {
    return this.#keys.get(secret)?.principal ?? null
  }

  /** The key by which `principalOf` found this owner. */
  secretOf(principal: Principal): string {
    return this.#secrets.get(principal) ?? ''
  }

  /** Asks the main thread about a key, so that it is known soon. */
  learn(secret: string): void {
    if (this.#learning.size >= LEARNING_MAX || [...this.#learning.values()].includes(secret)) return
    const id = ++this.#keyIds
    const body = Buffer.from(secret)
    if (!this.#write({ kind: asks.key, token: 0, job: 0, key: id, stream: 0, request: 0, eventId: null, body })) return
    this.#learning.set(id, secret)
  }

  /** @throws Refusal mailbox_full, unauthorized. */
  post(request: LaneRequest, receiver: IngestReceiver | JsonReceiver): void {
    const { kind, secret, job, stream, request: number = 0, eventId, body } = request
    const key = this.#keys.get(secret)
    if (key === undefined) throw new Refusal('unauthorized', 'the key no longer works')
    const streamBytes = stream === 0 ? 0 : body.length + ASK_BYTES
    const token = this.#free.pop() ?? this.#waiting.length
    const isFull =
      token >= UNDER_WAY_MAX ||
      (streamBytes > 0 && this.#streamBytes > 0 && this.#streamBytes + streamBytes > STREAM_BYTES_MAX)
    if (isFull || !this.#write({ kind, token, job, key: key.id, stream, request: number, eventId, body })) {
      if (token < this.#waiting.length) this.#free.push(token)
      throw new Refusal('mailbox_full', 'too many messages are waiting; try again shortly')
    }
    this.#waiting[token] = { receiver, job, eventId, secret, streamBytes }
    this.#streamBytes += streamBytes
  }

  /** Takes the answers that have come. */
  take(): void {
    const ring = this.#answers
    ring.woken()
    for (let i = 0; i < ANSWERS_AT_ONCE; i++) {
      const at = ring.peek()
      if (at < 0) return
      try {
        this.#told(ring.bytes, at, ring.length)
      } finally {
        ring.release()
      }
    }
    setImmediate(() => this.take())
  }

  #told(bytes: Buffer, at: number, length: number): void {
    const token = bytes.readUInt32LE(at + 4)
    const text = bytes.subarray(at + RECORD_BYTES, at + length)
    switch (bytes[at]) {
      case tells.labels:
        return void this.#labels.set(bytes.readDoubleLE(at + 8), JSON.parse(text.toString()))
      case tells.key:
        return this.#learned(token, JSON.parse(text.toString()) as KeyFacts | null)
    }
    const waiting = this.#waiting[token]
    if (waiting === null || waiting === undefined) return
    this.#waiting[token] = null
    this.#free.push(token)
    this.#streamBytes -= waiting.streamBytes
    if (bytes[at] === tells.event) this.#ingested(waiting, bytes, at, length)
    else if (bytes[at] === tells.json) (waiting.receiver as JsonReceiver).told(text)
    else this.#refused(waiting, text)
  }

  #ingested({ receiver, job, eventId }: Waiting, bytes: Buffer, at: number, length: number): void {
    const answer = readEvent(bytes, at)
    const id = readEventId(bytes, at, length) ?? eventId ?? eventIdOf(answer.micros)
    const labels = this.#labels.get(job) ?? []
    ;(receiver as IngestReceiver).ingested(viewOf({ id: job, labels }, id, answer), answer.stored)
  }

  #refused({ receiver, secret }: Waiting, text: Buffer): void {
    const { code, message, context } = JSON.parse(text.toString()) as Refusal
    if (code === 'unauthorized') this.#forget(secret)
    else if (code === 'forbidden') this.learn(secret)
    receiver.refused(new Refusal(code as RefusalCode, message, context))
  }

  #learned(id: number, facts: KeyFacts | null): void {
    const secret = this.#learning.get(id)
    this.#learning.delete(id)
    if (secret === undefined) return
    this.#forget(secret)
    if (facts === null) return
    if (this.#keys.size >= KEYS_MAX) this.#forget(this.#keys.keys().next().value as string)
    const { scopes, place, ratePlace, ...owner } = facts
    const principal: Principal = { ...owner, scopes: new Set(scopes) }
    this.#shared.put(`${owner.kind} ${owner.name}`, place)
    this.#shared.put(ownerOfRate(principal), ratePlace)
    this.#secrets.set(principal, secret)
    this.#keys.set(secret, { id, principal })
  }

  #forget(secret: string): void {
    const key = this.#keys.get(secret)
    this.#keys.delete(secret)
    const nothing = { token: 0, job: 0, stream: 0, request: 0, eventId: null, body: new Uint8Array(0) }
    if (key !== undefined) this.#write({ ...nothing, kind: asks.forget, key: key.id })
  }

  /** False if there is no room. A large body goes beside the ring. */
  #write(ask: Parameters<typeof writeAsk>[2]): boolean {
    const ring = this.#requests
    const { eventId, body } = ask
    const idBytes = eventId === null ? 0 : Buffer.byteLength(eventId)
    const isLarge = ASK_BYTES + idBytes + body.length > ring.recordBytesMax
    const at = ring.reserve(ASK_BYTES + idBytes + (isLarge ? 0 : body.length))
    if (at < 0) return false
    const bodyAt = writeAsk(ring.bytes, at, ask, idBytes, isLarge)
    if (isLarge) this.#sendBeside(body)
    else ring.bytes.set(body, bodyAt)
    ring.commit()
    if (!this.#rings) {
      this.#rings = true
      atRoundEnd(this.#ring)
    }
    return true
  }

  #sendBeside(bytes: Uint8Array): void {
    const body = copyOf(bytes)
    this.#port.postMessage({ t: 'large', body } satisfies FromThread, [body.buffer])
  }

  readonly #ring = (): void => {
    this.#rings = false
    if (this.#requests.ring()) this.#port.postMessage(WAKE)
  }
}
