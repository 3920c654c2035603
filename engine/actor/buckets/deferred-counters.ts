/**
 * Deferred counters: rows of `counts` that are written later than the events that they count. An event's own record
 * says which bucket it is in and how it was decided, so a reader can add what a row lacks. The row of a busy bucket is
 * written once in thousands of events and not with each turn.
 *
 * Owns: which buckets of a shard have a row that is behind, and when such rows are written. Leaves out: reading them
 * (bucket-counts.ts).
 *
 * 1. A row only ever lacks new events, each later than all that it counts. Anything else that happens to a bucket, or
 *    to an event in it, writes the whole row (bucket-cache.ts).
 * 2. Rows are written in rounds, a part with each turn, in the order of their keys, so that few pages are touched. A
 *    round writes all rows that were behind when it began, and `counted_through` is noted when it is over. Rows
 *    therefore lack the events of two rounds at most, and a reader looks at no more. A round counts all events of the
 *    shard.
 * 3. A bucket whose row is behind stays in memory. A shard that rests writes all of these rows, and none is behind.
 */
import { COUNT_KEY_BYTES, jobOfKey, metaKey, timeValue, writeCountKey } from '../../store/tables.js'
import { countBytes, encodeCount, type CountRow } from '../../store/bucket-row.js'
import { BucketTable } from '../../store/bucket-table.js'
import type { Environment } from '../../store/environment.js'
import { countedThrough, readCount, uncountedEventsOf } from './bucket-counts.js'
import { lastTime } from '../event-table.js'
import type { TurnStore } from '../turn-store.js'

/** A bucket in memory, as far as it is counted. */
export interface Counted extends CountRow {
  readonly jobId: number
  /** Number of the bucket in its job. */
  readonly number: number
  /** DeferredCounters.#since while its row is behind, or NOT_DEFERRED. */
  deferredSince: number
}

export const NOT_DEFERRED = 0

function byKey(a: Counted, b: Counted): number {
  return a.jobId - b.jobId || a.number - b.number
}

export class DeferredCounters {
  readonly #eventsMax: number
  /** Buckets whose row got behind since this round began. */
  #gathered: Counted[] = []
  /** Buckets whose rows this round writes, from `#at` on. */
  #round: Counted[] = []
  #at = 0
  /** The time up to which all events are counted when the round is over; -1 before the first round. */
  #through = -1
  #events = 0
  #eventsOfTurn = 0
  /** Goes up when all buckets are forgotten. */
  #since = NOT_DEFERRED + 1

  /** A round takes `eventsMax` events. */
  constructor(eventsMax: number) {
    this.#eventsMax = eventsMax
  }

  /** An event of the shard was stored, in a bucket or not. */
  countEvent(): void {
    this.#eventsOfTurn++
  }

  /** The bucket's row is behind. */
  add(bucket: Counted): void {
    if (this.has(bucket)) return
    bucket.deferredSince = this.#since
    this.#gathered.push(bucket)
  }

  has(bucket: Counted): boolean {
    return bucket.deferredSince === this.#since
  }

  /** The job was deleted. */
  forgetJob(jobId: number): void {
    for (const bucket of [...this.#gathered, ...this.#round])
      if (bucket.jobId === jobId) bucket.deferredSince = NOT_DEFERRED
  }

  /** Forgets all buckets. Their rows may still be behind: `layWhole` writes them. */
  clear(): void {
    this.#since++
    this.#gathered = []
    this.#round = []
    this.#at = this.#events = this.#eventsOfTurn = 0
    this.#through = -1
  }

  /** A turn ends whose messages reach up to `micros`: writes its share of the round. */
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

  /** Writes all rows that are behind, which are those of events up to `micros`. Between turns. */
  writeAll(store: TurnStore, micros: number): void {
    const behind = [...this.#round.slice(this.#at), ...this.#gathered].filter((bucket) => this.has(bucket))
    if (behind.length === 0) return
    for (const bucket of behind.sort(byKey)) layCount(store, bucket)
    store.put('meta', metaKey('counted_through'), timeValue(micros))
    this.#through = micros
    this.#round = []
    this.#gathered = []
    this.#at = this.#events = 0
  }

  #beginRound(store: TurnStore, micros: number): void {
    if (this.#through >= 0) store.put('meta', metaKey('counted_through'), timeValue(this.#through))
    this.#through = micros
    this.#round = this.#gathered.filter((bucket) => this.has(bucket)).sort(byKey)
    this.#gathered = []
    this.#at = this.#events = 0
  }

  /**
   * Writes all rows that are behind, from committed state. For a shard of which nothing is in memory, first in a turn.
   */
  layWhole(store: TurnStore, environment: Environment): void {
    if (countedThrough(environment) < lastTime(environment)) {
      for (const { key } of environment.range('stats', {})) layJob(store, environment, jobOfKey(key))
    }
    store.put('meta', metaKey('counted_through'), timeValue(lastTime(environment)))
  }
}

function layJob(store: TurnStore, environment: Environment, jobId: number): void {
  const uncounted = uncountedEventsOf(environment, jobId)
  const table = new BucketTable(environment, jobId)
  for (const id of uncounted.bucketIds()) {
    // While a job is being deleted, some of its rows are gone.
    const number = table.numberOf(Buffer.from(id, 'latin1'))
    const row = number === null ? null : readCount(environment, jobId, number)
    if (number === null || row === null) continue
    const whole = uncounted.addTo(row, id)
    if (whole !== row) layCount(store, { ...whole, jobId, number, deferredSince: NOT_DEFERRED })
  }
}

/** Writes the row of a bucket: it is not behind any more. */
export function layCount(store: TurnStore, bucket: Counted): void {
  bucket.deferredSince = NOT_DEFERRED
  const at = store.lay('counts', COUNT_KEY_BYTES, countBytes(bucket))
  const { memory } = store.batch
  writeCountKey(memory, bucket.jobId, bucket.number, at)
  encodeCount(bucket, memory, at + COUNT_KEY_BYTES)
}
