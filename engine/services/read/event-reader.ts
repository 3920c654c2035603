/**
 * Reading one event by its id. It is the most frequent read, so it allocates nothing but its answer.
 *
 * Owns: the way from an id to the view of the event, and a cache of bucket states since the last commit. Leaves out:
 * all other reads of a job (job-reader.ts).
 *
 * 1. An id finds the same event as findEvent (actor/event-table.ts); a test compares the two.
 * 2. The cache is valid for one commit: `forget` is called with the next.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { blind } from '../../domain/autonomy/passage.js'
import { BUCKET_ID_BYTES } from '../../domain/event/bucket-key.js'
import { ABSENT, ByteTable, hashBytes, viewOfBytes } from '../../domain/event/byte-table.js'
import { microsOfEventId } from '../../domain/event/event-id.js'
import type { JobSettings } from '../../domain/job/job.js'
import type { EventView } from '../../api/decision-service.js'
import type { Environment } from '../../store/environment.js'
import type { RecordHeader } from '../../store/event-record.js'
import {
  autonomyOf,
  BUCKET_ID_AT,
  confidenceOf,
  HEADER_BYTES,
  hasClientId,
  isInBucket,
  isOutlier,
  isPending,
  labelOf,
} from '../../store/record-header.js'
import { decodeBallot } from '../../store/ballot-row.js'
import type { StatsRow } from '../../store/rows.js'
import { JOB_BYTES, TIME_KEY_BYTES, timeOfValue, timeValue, writeIdKey, writeTimeKey } from '../../store/tables.js'
import { stateOf } from '../../actor/votes/ballots.js'
import { viewOf } from '../../actor/event-reply.js'
import type { BucketState } from '../../domain/learn/knowledge-base.js'

/** UTF-8 bytes of one UTF-16 unit at most. */
const UTF8_BYTES_MAX = 3
const ASCII_END = 0x80
const noBytes = new Uint8Array(0)
const BUCKET_KEY_BYTES = JOB_BYTES + BUCKET_ID_BYTES
/** Bucket states that are cached between two commits: many events are in few buckets. */
const STATES_MAX = 20_000

export class EventReader {
  readonly #environment: Environment
  readonly #statsOf: (job: JobSettings) => StatsRow
  /** Buffers that every read overwrites: keys of `ids`, `events` and `ballots`, a value of `ids`, a record's header. */
  readonly #idKey = Buffer.alloc(JOB_BYTES + UTF8_BYTES_MAX * limits.eventIdBytesMax)
  readonly #timeKey = Buffer.alloc(TIME_KEY_BYTES)
  readonly #bucketKey = Buffer.alloc(BUCKET_KEY_BYTES)
  readonly #bucketKeyView = viewOfBytes(this.#bucketKey)
  readonly #time = timeValue(0)
  readonly #head = Buffer.alloc(HEADER_BYTES)
  /** Views of the first bytes of `#idKey`, by the length of the id. */
  readonly #idKeys: Uint8Array[] = []
  /** Keys of `ballots`, and the state at the place of each. */
  readonly #known = new ByteTable()
  readonly #states: BucketState[] = []

  constructor(environment: Environment, statsOf: (job: JobSettings) => StatsRow) {
    this.#environment = environment
    this.#statsOf = statsOf
  }

  /** @throws Refusal event_not_found. */
  event(job: JobSettings, eventId: string): EventView {
    const micros = this.#find(job.id, eventId)
    if (micros < 0) throw new Refusal('event_not_found', 'event not found')
    const head = this.#head
    const bucketState = isInBucket(head)
      ? this.#bucketState(job, head, BUCKET_ID_AT)
      : this.#readState(job, this.#timeKey)
    // Field by field, in the order of a reply: another shape of object would slow down every caller of viewOf.
    return viewOf(job, eventId, {
      micros,
      pending: isPending(head),
      label: labelOf(head),
      confidence: confidenceOf(head),
      outlier: isOutlier(head),
      bucketState,
      autonomy: blind(autonomyOf(head)),
    })
  }

  /** Bytes of its record, its notes and its enrichment. @throws Refusal event_not_found. */
  storedBytes(job: JobSettings, eventId: string): number {
    if (this.#find(job.id, eventId) < 0) throw new Refusal('event_not_found', 'event not found')
    const bytesIn = (table: string): number => Math.max(0, this.#environment.read(table, this.#timeKey, noBytes))
    return bytesIn('events') + bytesIn('notes') + bytesIn('lookups')
  }

  /** The view of an event whose record the caller has found. */
  view(
    job: JobSettings,
    eventId: string,
    micros: number,
    { pending, label, confidence, outlier, bucketId, autonomy }: RecordHeader,
  ): EventView {
    const bucketState =
      bucketId === null
        ? this.#readState(job, writeTimeKey(this.#timeKey, job.id, micros))
        : this.#bucketState(job, bucketId, 0)
    const shown = { micros, pending, label, confidence, outlier, bucketState, autonomy: blind(autonomy) }
    return viewOf(job, eventId, shown)
  }

  /** To be called after each commit. */
  forget(): void {
    if (this.#states.length === 0) return
    this.#known.clear()
    this.#states.length = 0
  }

  /** The time of an event, or -1. Its key is in `#timeKey` and its header in `#head` until the next read. */
  #find(jobId: number, eventId: string): number {
    if (eventId.length > limits.eventIdBytesMax) return -1
    const key = this.#idKey
    key.writeUInt32BE(jobId, 0)
    const idBytes = writeId(key, JOB_BYTES, eventId)
    // No stored id is longer, and the store has limits for keys.
    if (idBytes > limits.eventIdBytesMax) return -1
    const id = (this.#idKeys[idBytes] ??= new Uint8Array(key.buffer, key.byteOffset, JOB_BYTES + idBytes))
    if (this.#environment.read('ids', id, this.#time) >= 0) return this.#findAt(jobId, timeOfValue(this.#time))
    const own = microsOfEventId(eventId)
    if (own === null) return -1
    const micros = this.#findAt(jobId, own)
    return micros < 0 || hasClientId(this.#head) ? -1 : micros
  }

  #findAt(jobId: number, micros: number): number {
    return this.#environment.read('events', writeTimeKey(this.#timeKey, jobId, micros), this.#head) < 0 ? -1 : micros
  }

  /** The state of the bucket whose id is at `at`. */
  #bucketState(job: JobSettings, bytes: Uint8Array, at: number): BucketState {
    const key = writeIdKey(this.#bucketKey, job.id, bytes, at)
    const view = this.#bucketKeyView
    const hash = hashBytes(view, 0, BUCKET_KEY_BYTES)
    const place = this.#known.find(view, 0, BUCKET_KEY_BYTES, hash)
    if (place >= 0) return this.#states[place] as BucketState
    const state = this.#readState(job, key)
    if (this.#states.length >= STATES_MAX) this.forget()
    if (place === ABSENT) this.#states[this.#known.add(view, 0, BUCKET_KEY_BYTES, hash)] = state
    return state
  }

  /** `key`: a key of `ballots`. */
  #readState(job: JobSettings, key: Uint8Array): BucketState {
    const ballot = this.#environment.get('ballots', key)
    return ballot === undefined ? stateOf(null, 0) : stateOf(decodeBallot(ballot), this.#statsOf(job).trainedThroughSeq)
  }
}

/** Writes a text as UTF-8; returns the number of bytes. For short ASCII ids this is faster than a native call. */
function writeId(key: Buffer, at: number, id: string): number {
  for (let i = 0; i < id.length; i++) {
    const unit = id.charCodeAt(i)
    if (unit >= ASCII_END) return key.write(id, at, 'utf8')
    key[at + i] = unit
  }
  return id.length
}
