/**
 * Rows of `counts` that are written later than the events that they count: an event's own record says which bucket it is in and how it
 * was decided, so a row may be behind by the latest of them. One that most turns change is then written once in thousands of events.
 *
 * Owns: which buckets of a shard are behind, and when they are written. Leaves out: reading such a row (bucket-counts.ts).
 *
 * 1. A row is behind by events alone that came in, each later than all that it counts. Whatever else happens to a bucket, or to an
 *    event in it, writes its row, whole (bucket-cache.ts).
 * 2. Rows are written in rounds, a part with each turn, in the order of their keys, so that few pages are touched. A round has all that
 *    were behind when it began; when it is over the shard says so (`counted_through`). So rows lack no events but those of two rounds,
 *    and a reader has no more to look at: a round counts all events of the shard.
 * 3. A bucket that is behind stays in memory.
 */
import {
  bucketKey,
  COUNT_KEY_BYTES,
  countKey,
  jobOfKey,
  metaKey,
  timeValue,
  writeCountKey,
} from '../../store/tables.js'
import { countBytes, decodeBucketNumber, decodeCount, encodeCount, type CountRow } from '../../store/rows.js'
import type { Environment } from '../../store/environment.js'
import { countedThrough, uncountedEventsOf } from './bucket-counts.js'
import { lastTime } from '../event-table.js'
import type { TurnStore } from '../turn-store.js'

/** What is counted of a bucket in memory. */
export interface Counted extends CountRow {
  readonly jobId: number
  /** Of the bucket, in its job. */
  readonly number: number
  /** Since when its row is behind: a number of this shard's, or NOT_DEFERRED. */
  lateSince: number
}

export const NOT_DEFERRED = 0

export class DeferredCounters {
  readonly #eventsMax: number
  /** Behind since this round began, and what the round writes from `#at` on. */
  #gathered: Counted[] = []
  #round: Counted[] = []
  #at = 0
  /** The time up to which all will be counted when the round is over; -1 before the first. */
  #through = -1
  #events = 0
  #eventsOfTurn = 0
  /** Goes up when all is forgotten. */
  #since = NOT_DEFERRED + 1

  /** A round takes so many events. */
  constructor(eventsMax: number) {
    this.#eventsMax = eventsMax
  }

  /** An event was stored, whatever it counts for. */
  countEvent(): void {
    this.#eventsOfTurn++
  }

  /** The bucket's row is behind by one more event. */
  add(bucket: Counted): void {
    if (this.has(bucket)) return
    bucket.lateSince = this.#since
    this.#gathered.push(bucket)
  }

  has(bucket: Counted): boolean {
    return bucket.lateSince === this.#since
  }

  /** The job is gone. */
  forgetJob(jobId: number): void {
    for (const bucket of [...this.#gathered, ...this.#round])
      if (bucket.jobId === jobId) bucket.lateSince = NOT_DEFERRED
  }

  /** No row is behind any more, or nobody knows: see `layWhole`. */
  clear(): void {
    this.#since++
    this.#gathered = []
    this.#round = []
    this.#at = this.#events = this.#eventsOfTurn = 0
    this.#through = -1
  }

  /** The turn ends, with all messages up to that time: writes the round's share of it. */
  write(store: TurnStore, micros: number): void {
    if (this.#eventsOfTurn === 0) return
    const end = Math.min(
      this.#round.length,
      this.#at + Math.ceil((this.#round.length * this.#eventsOfTurn) / this.#eventsMax),
    )
    for (; this.#at < end; this.#at++) {
      const bucket = this.#round[this.#at] as Counted
      if (this.has(bucket)) layCount(store, bucket)
    }
    this.#events += this.#eventsOfTurn
    this.#eventsOfTurn = 0
    if (this.#events >= this.#eventsMax && this.#at === this.#round.length) this.#beginRound(store, micros)
  }

  #beginRound(store: TurnStore, micros: number): void {
    if (this.#through >= 0) store.put('meta', metaKey('counted_through'), timeValue(this.#through))
    this.#through = micros
    this.#round = this.#gathered
      .filter((bucket) => this.has(bucket))
      .sort((a, b) => a.jobId - b.jobId || a.number - b.number)
    this.#gathered = []
    this.#at = this.#events = 0
  }

  /** Nothing of the shard is in memory: writes all rows that are behind, from what is committed, before anything else of the turn. */
  layWhole(store: TurnStore, environment: Environment): void {
    if (countedThrough(environment) < lastTime(environment)) {
      for (const { key } of environment.range('stats', {})) layJob(store, environment, jobOfKey(key))
    }
    store.put('meta', metaKey('counted_through'), timeValue(lastTime(environment)))
  }
}

function layJob(store: TurnStore, environment: Environment, jobId: number): void {
  const late = uncountedEventsOf(environment, jobId)
  for (const id of late.bucketIds()) {
    // Of a job that is being deleted some are gone.
    const bucket = environment.get('buckets', bucketKey(jobId, Buffer.from(id, 'latin1')))
    if (bucket === undefined) continue
    const number = decodeBucketNumber(bucket)
    const counts = environment.get('counts', countKey(jobId, number))
    if (counts === undefined) continue
    const row = decodeCount(counts)
    const whole = late.addTo(row, id)
    if (whole !== row) layCount(store, { ...whole, jobId, number, lateSince: NOT_DEFERRED })
  }
}

/** Writes the row of a bucket, which is not behind then. */
export function layCount(store: TurnStore, bucket: Counted): void {
  bucket.lateSince = NOT_DEFERRED
  const at = store.lay('counts', COUNT_KEY_BYTES, countBytes(bucket))
  const { memory } = store.batch
  writeCountKey(memory, bucket.jobId, bucket.number, at)
  encodeCount(bucket, memory, at + COUNT_KEY_BYTES)
}
