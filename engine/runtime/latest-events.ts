/**
 * A cache of the latest events, as their shards answered them. Clients read an event soon after they sent it; this
 * cache answers them without the store.
 *
 * Owns: which events are cached, and until when. Leaves out: all other events (event-reader.ts).
 *
 * 1. An event found here is as event-reader.ts finds it in the committed store; tests compare the two.
 * 2. New events do not change what is shown of others. Where a turn changed a job in any other way (`addChangedJobs`),
 *    all events of the job are forgotten, and none of that turn is kept.
 * 3. An id made by the service is hidden if a client gave the same id to another event before (event-table.ts, 1). So
 *    where clients of a job gave ids of this form for times still to come, no event with such an id is kept.
 * 4. Memory is bounded, and allocated when the first event is kept.
 */
import { assert } from '../assert.js'
import { autonomies } from '../domain/autonomy/passage.js'
import { limits } from '../limits.js'
import { hashByte, hashEnd, hashStart, hashWord } from '../domain/event/byte-table.js'
import { microsOfEventId } from '../domain/event/event-id.js'
import type { JobSettings } from '../domain/job/job.js'
import type { BucketState } from '../domain/learn/knowledge-base.js'
import { bucketStates, type ShownReply } from '../actor/reply.js'

/**
 * An entry, in bytes:
 *
 * | 0 time f64 | 8 generation of its job u32 | 12 what is shown u32 | 16 id bytes u8 | 17 client's id, ASCII |
 *
 * What is shown, in bits:
 * | 0 confidence, 16 bits | 16 label and one | 24 bucket state | 26 pending | 27 outlier | 28 autonomy |
 */
const ENTRY_BYTES = 64
const [FLOATS, WORDS] = [ENTRY_BYTES / Float64Array.BYTES_PER_ELEMENT, ENTRY_BYTES / Uint32Array.BYTES_PER_ELEMENT]
const [NUMBER_WORD, SHOWN_WORD, ID_BYTES_AT, ID_AT] = [2, 3, 16, 17]
const ID_BYTES_MAX = ENTRY_BYTES - ID_AT
const [LABEL_SHIFT, STATE_SHIFT, PENDING, OUTLIER, AUTONOMY_SHIFT] = [16, 24, 1 << 26, 1 << 27, 28]
const ASCII_END = 0x80
/** Two pairs of places for each entry, so that few entries are displaced by others with the same hash. */
const PAIRS = 2 * limits.latestEventsMax
/** The bits of a place: the entry, and those bits of the hash that do not lead to the place. */
const [ENTRY_BITS, HASH_BITS] = [limits.latestEventsMax - 1, -PAIRS]

assert((PAIRS & (PAIRS - 1)) === 0, 'the latest events are a power of two')

type Job = Pick<JobSettings, 'id' | 'shard'>

/** A job, since its events were last forgotten. */
interface Known {
  /** Its generation: unique over all jobs and times. */
  readonly number: number
  /** Clients gave ids of the service's form for times to come; null until the store has been read. */
  ahead: boolean | null
}

export class LatestEvents {
  readonly #hasIdsAhead: (job: Job, micros: number) => boolean
  /** By job. */
  readonly #known = new Map<number, Known>()
  #numbers = 0
  #bytes = new Uint8Array(0)
  #words = new Uint32Array(0)
  #floats = new Float64Array(0)
  /** Two for each hash, the later entry first. The entry shows whether it is the right one. */
  #places = new Int32Array(0)
  #next = 0

  /** `hasIdsAhead` reads the committed store (event-table.ts). */
  constructor(hasIdsAhead: (job: Job, micros: number) => boolean) {
    this.#hasIdsAhead = hasIdsAhead
  }

  /**
   * Keeps an event of a job that its turn did not change in any other way. Called in the order in which events were
   * applied. `clientId` null: the id is made of the event's time.
   */
  keep(job: Job, clientId: string | null, reply: ShownReply): void {
    let known = this.#known.get(job.id)
    if (known === undefined) this.#known.set(job.id, (known = { number: ++this.#numbers, ahead: null }))
    const { micros } = reply
    const own = clientId === null ? micros : microsOfEventId(clientId)
    if (own === null ? !isShort(clientId as string) : this.#mayBeHidden(job, known, own, micros)) return
    if (this.#bytes.length === 0) this.#takeMemory()
    const entry = this.#next
    this.#next = (entry + 1) % limits.latestEventsMax
    this.#floats[entry * FLOATS] = micros
    this.#words[entry * WORDS + NUMBER_WORD] = known.number
    this.#words[entry * WORDS + SHOWN_WORD] = shownWord(reply)
    this.#writeId(entry, own === null ? (clientId as string) : '')
    const hash = own === null ? hashOf(known.number, clientId as string) : hashOfTime(own)
    const place = placeOf(hash)
    this.#places[place + 1] = this.#places[place] as number
    this.#places[place] = (hash & HASH_BITS) | entry
  }

  /** What is shown of an event, or null where it is not cached. */
  find(job: Job, eventId: string): ShownReply | null {
    const known = this.#known.get(job.id)
    if (known === undefined || this.#bytes.length === 0 || eventId === '') return null
    const own = microsOfEventId(eventId)
    const hash = own === null ? hashOf(known.number, eventId) : hashOfTime(own)
    for (let place = placeOf(hash), end = place + 2; place < end; place++) {
      const there = this.#places[place] as number
      const entry = there & ENTRY_BITS
      if (((there ^ hash) & HASH_BITS) === 0 && this.#is(entry, known.number, eventId, own)) return this.#shown(entry)
    }
    return null
  }

  /** A turn did more to the job than add events. */
  forget(jobId: number): void {
    this.#known.delete(jobId)
  }

  #is(entry: number, number: number, eventId: string, own: number | null): boolean {
    if (this.#words[entry * WORDS + NUMBER_WORD] !== number) return false
    const bytes = this.#bytes
    const at = entry * ENTRY_BYTES
    if (own !== null) return bytes[at + ID_BYTES_AT] === 0 && this.#floats[entry * FLOATS] === own
    if (bytes[at + ID_BYTES_AT] !== eventId.length) return false
    for (let i = 0; i < eventId.length; i++) if (bytes[at + ID_AT + i] !== eventId.charCodeAt(i)) return false
    return true
  }

  #writeId(entry: number, id: string): void {
    const at = entry * ENTRY_BYTES
    this.#bytes[at + ID_BYTES_AT] = id.length
    for (let i = 0; i < id.length; i++) this.#bytes[at + ID_AT + i] = id.charCodeAt(i)
  }

  #shown(entry: number): ShownReply {
    const word = this.#words[entry * WORDS + SHOWN_WORD] as number
    return {
      micros: this.#floats[entry * FLOATS] as number,
      pending: (word & PENDING) !== 0,
      label: ((word >>> LABEL_SHIFT) & 0xff) - 1,
      confidence: word & 0xffff,
      outlier: (word & OUTLIER) !== 0,
      bucketState: bucketStates[(word >>> STATE_SHIFT) & 3] as BucketState,
      autonomy: autonomies[(word >>> AUTONOMY_SHIFT) & 3] as ShownReply['autonomy'],
    }
  }

  /** Invariant 3; `own` is the time in an id of the service's form. */
  #mayBeHidden(job: Job, known: Known, own: number, micros: number): boolean {
    if (own === micros) return (known.ahead ??= this.#hasIdsAhead(job, micros))
    if (own > micros) known.ahead = true
    return true
  }

  #takeMemory(): void {
    const memory = new ArrayBuffer(limits.latestEventsMax * ENTRY_BYTES)
    this.#bytes = new Uint8Array(memory)
    this.#words = new Uint32Array(memory)
    this.#floats = new Float64Array(memory)
    this.#places = new Int32Array(2 * PAIRS)
  }
}

/** Fits in an entry: not empty, and ASCII. */
function isShort(id: string): boolean {
  if (id.length === 0 || id.length > ID_BYTES_MAX) return false
  for (let i = 0; i < id.length; i++) if (id.charCodeAt(i) >= ASCII_END) return false
  return true
}

function shownWord({ confidence, label, bucketState, pending, outlier, autonomy }: ShownReply): number {
  const passage = autonomies.indexOf(autonomy) << AUTONOMY_SHIFT
  const flags = (pending ? PENDING : 0) | (outlier ? OUTLIER : 0) | passage
  return confidence | ((label + 1) << LABEL_SHIFT) | (bucketStates.indexOf(bucketState) << STATE_SHIFT) | flags
}

function hashOf(number: number, eventId: string): number {
  let hash = hashWord(hashStart, number)
  for (let i = 0; i < eventId.length; i++) hash = hashByte(hash, eventId.charCodeAt(i))
  return hashEnd(hash)
}

/** Consecutive times lead to adjacent places, which stay in the processor's cache. */
function hashOfTime(micros: number): number {
  return micros | 0
}

/** The first of the pair. */
function placeOf(hash: number): number {
  return 2 * (hash & (PAIRS - 1))
}
