/**
 * The latest events of the service, as their shards answered them: who sends an event asks for it soon, and then finds it here
 * and not in a file of millions.
 *
 * Owns: which events are remembered, and until when. Leaves out: all others (event-look.ts), which is most of what is stored.
 *
 * 1. What is found here is what event-look.ts finds in what is committed; tests hold the two together.
 * 2. Events that come in change nothing that is shown of others. Where more happened to a job in a turn (`addChangedJobs`), all that was
 *    remembered of it is forgotten, and nothing of that turn is kept.
 * 3. An id of the service's own is hidden where a client gave it to another event before (event-table.ts, 1). So a job in which
 *    clients gave such ids for times that are still to come has none of its own ids kept.
 * 4. Memory is bounded, and taken when the first event is kept.
 */
import { assert } from '../assert.js'
import { limits } from '../limits.js'
import { hashByte, hashEnd, hashStart, hashWord } from '../event/byte-table.js'
import { microsOfEventId } from '../event/event-id.js'
import type { JobSettings } from '../job/job.js'
import type { WriteBatch } from '../store/environment.js'
import { sharedTables } from '../store/tables.js'
import { bucketStates, type ShownReply } from './message.js'
import type { BucketState } from '../learn/knowledge-base.js'

/**
 * An entry: | 0 time f64 | 8 number of what is known of its job u32 | 12 what is shown u32 | 16 bytes of the id u8, 0 for one of the service's own |
 * 17 a client's id, ASCII |. What is shown: | 0 confidence, 16 bits | 16 label and one | 24 bucket state | 26 pending | 27 outlier |
 */
const ENTRY_BYTES = 64
const [FLOATS, WORDS] = [ENTRY_BYTES / Float64Array.BYTES_PER_ELEMENT, ENTRY_BYTES / Uint32Array.BYTES_PER_ELEMENT]
const [NUMBER_WORD, SHOWN_WORD, ID_BYTES_AT, ID_AT] = [2, 3, 16, 17]
const ID_BYTES_MAX = ENTRY_BYTES - ID_AT
const [LABEL_SHIFT, STATE_SHIFT, PENDING, OUTLIER] = [16, 24, 1 << 26, 1 << 27]
const ASCII_END = 0x80
/** Pairs of places for each entry that there may be: with so many hardly any is lost to others. */
const PAIRS = 2 * limits.latestEventsMax
/** Of a place: the entry, and those bits of the hash that do not lead to it. */
const [ENTRY_BITS, HASH_BITS] = [limits.latestEventsMax - 1, -PAIRS]

assert((PAIRS & (PAIRS - 1)) === 0, 'the latest events are a power of two')

/** Tables in which an event that comes in adds rows, and counts. */
const addedTo: ReadonlySet<string> = new Set(['events', 'ids', 'pending', 'awaited', 'buckets', 'counts', 'stats'])

type Job = Pick<JobSettings, 'id' | 'shard'>

/** What is known of a job since it was forgotten last. */
interface Known {
  /** No other has it, of any job at any time. */
  readonly number: number
  /** Clients gave ids of the service's form for times to come; null until it was looked for. */
  ahead: boolean | null
}

/**
 * Adds the jobs to which the writes of a turn of new events did more than add: root cause analysis may decide other events again, and then
 * writes to `causes`; a new version of an event deletes the old one.
 */
export function addChangedJobs(jobs: Set<number>, batch: WriteBatch): void {
  const { tables, size, memory } = batch
  let isAdded = false
  for (let i = 0; i < size; i++) {
    const table = tables[i] as string
    if (i === 0 || table !== tables[i - 1]) isAdded = addedTo.has(table) || sharedTables.includes(table)
    if (!isAdded || (batch.valueBytes(i) < 0 && !sharedTables.includes(table)))
      jobs.add(memory.readUInt32BE(batch.startOf(i)))
  }
}

export class LatestEvents {
  readonly #hasIdsAhead: (job: Job, micros: number) => boolean
  /** By job. */
  readonly #known = new Map<number, Known>()
  #numbers = 0
  #bytes = new Uint8Array(0)
  #words = new Uint32Array(0)
  #floats = new Float64Array(0)
  /** Two a hash, the later first. What an entry holds tells whether it is the one that was meant. */
  #places = new Int32Array(0)
  #next = 0

  /** `hasIdsAhead` says what event-table.ts says of what is committed. */
  constructor(hasIdsAhead: (job: Job, micros: number) => boolean) {
    this.#hasIdsAhead = hasIdsAhead
  }

  /**
   * Keeps an event of a job to which its turn only added, in the order in which they were applied. `clientId` null: its id is made of
   * its time.
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

  /** What is shown of an event, or null where it is not remembered. */
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

  /** More than new events happened to a job. */
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
    }
  }

  /** By invariant 3; `own` is the time in an id of the service's form. */
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

function shownWord({ confidence, label, bucketState, pending, outlier }: ShownReply): number {
  const flags = (pending ? PENDING : 0) | (outlier ? OUTLIER : 0)
  return confidence | ((label + 1) << LABEL_SHIFT) | (bucketStates.indexOf(bucketState) << STATE_SHIFT) | flags
}

function hashOf(number: number, eventId: string): number {
  let hash = hashWord(hashStart, number)
  for (let i = 0; i < eventId.length; i++) hash = hashByte(hash, eventId.charCodeAt(i))
  return hashEnd(hash)
}

/** Times that follow each other lead to places side by side: what is written one after the other stays in the processor's cache. */
function hashOfTime(micros: number): number {
  return micros | 0
}

/** The first of the pair. */
function placeOf(hash: number): number {
  return 2 * (hash & (PAIRS - 1))
}
