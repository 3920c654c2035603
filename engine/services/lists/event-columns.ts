/**
 * What lists need of every event of a job, in columns in memory: times, bucket, label, confidence, pending and outlier.
 *
 * Owns: the columns, and how they follow the store. Leaves out: which events pass (row-filter.ts).
 *
 * 1. The columns cover the events from some time on. They begin at the newest event and grow towards the oldest, as
 *    far as queries look, so the first query of a job waits for nothing.
 * 2. They follow the store by its records (new events), the rows of `changes` (decided again, deleted) and the oldest
 *    key (retention). If what they hold does not add up to the job's own count, they begin anew.
 * 3. A row keeps its place until the columns begin anew; what was deleted is marked.
 */
import { lastTime } from '../../actor/event-table.js'
import { EventTimes } from '../../actor/event-times.js'
import { readStats } from '../../actor/job-stats.js'
import { limits } from '../../limits.js'
import {
  BUCKET_ID_AT,
  confidenceOf,
  HEADER_BYTES,
  isInBucket,
  isOutlier,
  isPending,
  labelOf,
} from '../../store/record-header.js'
import type { BodyCodec } from '../../store/body-codec.js'
import type { Environment } from '../../store/environment.js'
import {
  changeKey,
  changeOfKey,
  jobKey,
  jobRange,
  metaKey,
  timeKey,
  timeOfKey,
  timeOfValue,
} from '../../store/tables.js'
import type { QueriedJob } from '../query/query-protocol.js'
import { BucketColumn } from './bucket-column.js'
import { DELETED, oldestOf, spansBefore, walkRows, type ColumnWalk } from './column-walk.js'
import { EventRows } from './event-rows.js'
import { TimeOrder, type TimePlace } from './time-order.js'
import { pointsFingerprint } from '../../domain/job/job-points.js'

const PENDING = 1
const OUTLIER = 2
/** The bucket of an event without one. */
export const NO_BUCKET = -1
/** Codes are below this: a label's place and the flags. */
export const CODES = 1_024

export class EventColumns {
  buckets = new BucketColumn()
  /** Rows from the first look on, in the order of time, and rows from before it, in reverse. */
  #later = new EventRows(true)
  #earlier = new EventRows(false)
  #deleted = 0
  #isWhole = false
  #change = -1
  #next = 0
  #fingerprint = 0
  #codec: BodyCodec | null = null
  #eventTimes: EventTimes | null = null
  #order = new TimeOrder()

  /** Rows in memory. */
  get length(): number {
    return this.#later.length + this.#earlier.length
  }

  /** True if the columns cover all events of the job. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** Follows the store. The caller has refreshed the environment. */
  follow(environment: Environment, codec: BodyCodec, job: QueriedJob): void {
    if (this.#codec !== codec) this.#eventTimes = new EventTimes((this.#codec = codec))
    const forgotten = environment.get('meta', metaKey('changes_forgotten'))
    if (this.#change < 0 || (forgotten !== undefined && this.#change <= timeOfValue(forgotten)))
      this.#begin(environment)
    const fingerprint = pointsFingerprint(job)
    if (fingerprint !== this.#fingerprint) this.buckets.setPoints((this.#fingerprint = fingerprint))
    this.#takeChanges(environment, job.id)
    this.#takeNew(environment, job.id)
    this.#dropOld(environment, job.id)
    if (!this.#isWhole) return
    if (this.length - this.#deleted === readStats(environment, job.id, job.labels.length).events) return
    this.#begin(environment)
    this.#takeNew(environment, job.id)
  }

  /** True if no more events can be covered. */
  get isFull(): boolean {
    return this.length >= limits.listRowsMax
  }

  #begin(environment: Environment): void {
    this.#later = new EventRows(true)
    this.#earlier = new EventRows(false)
    this.buckets = new BucketColumn()
    this.buckets.setPoints(this.#fingerprint)
    this.#order = new TimeOrder()
    this.#deleted = 0
    this.#isWhole = false
    this.#next = lastTime(environment) + 1
    this.#change = this.#next
  }

  /** The earliest covered time; events before it are not in memory. */
  get from(): number {
    if (this.#isWhole) return 0
    if (this.#earlier.length > 0) return this.#earlier.times[this.#earlier.length - 1] as number
    return this.#later.length > 0 ? (this.#later.times[0] as number) : this.#next
  }

  #takeChanges(environment: Environment, jobId: number): void {
    const head = Buffer.alloc(HEADER_BYTES)
    const range = { from: changeKey(jobId, this.#change, 0), to: jobKey(jobId + 1) }
    for (const { key } of environment.range('changes', range)) {
      const { eventMicros } = changeOfKey(key)
      const [rows, at] = this.#find(eventMicros)
      if (at < 0) continue
      if (environment.read('events', timeKey(jobId, eventMicros), head) >= 0) this.#write(rows, at, head)
      else if (((rows.codes[at] as number) & DELETED) === 0) {
        rows.codes[at] = DELETED
        this.#deleted++
      }
    }
    this.#change = lastTime(environment) + 1
  }

  #takeNew(environment: Environment, jobId: number): void {
    const last = lastTime(environment)
    if (last < this.#next) return
    const range = { from: timeKey(jobId, this.#next), to: timeKey(jobId, last + 1) }
    environment.scan('events', range, (key, value) => {
      this.#add(this.#later, timeOfKey(key), value)
      return true
    })
    this.#next = last + 1
  }

  /** Forgets events that are older than the oldest. */
  #dropOld(environment: Environment, jobId: number): void {
    const [first] = environment.range('events', { ...jobRange(jobId), limit: 1 })
    const oldest = first === undefined ? this.#next : timeOfKey(first.key)
    const rows = this.#earlier
    while (rows.length > 0 && (rows.times[rows.length - 1] as number) < oldest) {
      rows.length--
      if (((rows.codes[rows.length] as number) & DELETED) !== 0) this.#deleted--
    }
    for (let at = 0; at < this.#later.length && (this.#later.times[at] as number) < oldest; at++) {
      if (((this.#later.codes[at] as number) & DELETED) !== 0) continue
      this.#later.codes[at] = DELETED
      this.#deleted++
    }
  }

  /**
   * Covers earlier events, newest first. `each` is called with every row that is new in memory, and its record; false
   * ends it.
   */
  cover(
    environment: Environment,
    jobId: number,
    each: (rows: EventRows, at: number, record: Uint8Array) => boolean,
  ): void {
    if (this.#isWhole || this.isFull) return
    const range = { from: jobKey(jobId), to: timeKey(jobId, this.from), reverse: true }
    const rows = this.#earlier
    let hasEnded = true
    environment.scan('events', range, (key, value) => {
      this.#add(rows, timeOfKey(key), value)
      if (each(rows, rows.length - 1, value) && !this.isFull) return true
      return (hasEnded = false)
    })
    this.#isWhole = hasEnded
  }

  #add(rows: EventRows, micros: number, record: Uint8Array): void {
    rows.add(micros, (this.#eventTimes as EventTimes).of(record, micros))
    this.#write(rows, rows.length - 1, record)
  }

  #write(rows: EventRows, at: number, record: Uint8Array): void {
    const bucket = isInBucket(record) ? this.buckets.placeOf(record, BUCKET_ID_AT, rows.times[at] as number) : NO_BUCKET
    const code = ((labelOf(record) + 1) << 3) | (isPending(record) ? PENDING : 0) | (isOutlier(record) ? OUTLIER : 0)
    rows.set(at, bucket, code, confidenceOf(record))
  }

  /** Where the event is; -1 where it is not covered. */
  #find(micros: number): [EventRows, number] {
    const isLater = this.#later.length > 0 && micros >= (this.#later.times[0] as number)
    const rows = isLater ? this.#later : this.#earlier
    let [low, high] = [0, rows.length - 1]
    while (low <= high) {
      const middle = (low + high) >>> 1
      const time = rows.times[middle] as number
      if (time === micros) return [rows, middle]
      if (time < micros === isLater) low = middle + 1
      else high = middle - 1
    }
    return [rows, -1]
  }

  /**
   * Walks the rows that are covered by the events' own times, newest first, from behind a place on. False of `visit`
   * ends the walk.
   */
  walkByTime(behind: TimePlace | null, visit: (rows: EventRows, at: number) => boolean): void {
    this.#order.follow(this.#later, this.#earlier)
    this.#order.walk(behind, this.#later, this.#earlier, visit)
  }

  /**
   * Walks the rows before a time, newest first, but for those that a table refuses. After each ROWS_AT_ONCE rows,
   * `pause` is called with the time. False of either ends the walk. Returns how many rows were looked at.
   */
  walk(before: number, how: ColumnWalk): number {
    let looked = 0
    for (const span of spansBefore(before, this.#later, this.#earlier)) {
      const seen = walkRows(span, before, how)
      looked += Math.abs(seen)
      if (seen < 0 || !how.pause(oldestOf(span))) break
    }
    return looked
  }
}
