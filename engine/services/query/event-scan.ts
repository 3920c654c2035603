/**
 * A walk over the events of one job in one snapshot, newest first.
 *
 * Owns: which records are read (by ingest time, by id, or all), time and cancellation. Leaves out: what is done with an
 * event that passes.
 *
 * 1. A scan is synchronous, so every read of a shard is of one snapshot. A job lives in one shard.
 * 2. The scan checks its time every few hundred events, more often where events are large. Over its time it stops where
 *    it is, and says so (`timedOut`).
 */
import { Refusal } from '../../errors.js'
import { requiredIds, ingestedWithin, matches, type Condition } from '../../domain/query/condition.js'
import type { FieldSet } from '../../domain/query/field.js'
import type { BodyCodec } from '../../store/body-codec.js'
import type { Environment, KeyRange } from '../../store/environment.js'
import { timeKey, timeOfKey } from '../../store/tables.js'
import { findEvent, type FoundEvent } from '../../actor/event-table.js'
import type { Assignees } from './assignees.js'
import type { QueriedJob, QueryTask } from './query-protocol.js'
import { RecordFields } from './record-fields.js'
import type { TaskClock } from '../readers/task-frame.js'

/** One shard, open for reading. */
export interface QueryStore {
  readonly environment: Environment
  readonly codec: BodyCodec
  /** Absent: nobody has any event. */
  readonly assignees?: Assignees
}

/** What a query runs on. */
export interface QueryContext {
  readonly task: QueryTask
  readonly stores: (shard: number) => QueryStore
  readonly clock: TaskClock
}

/** Called with each event that passes. Its bytes are valid until the next one. False ends the walk through the job. */
export type Visitor = (event: RecordFields, job: QueriedJob, micros: number, record: Uint8Array) => boolean

/** The scan checks its time after so many events, or so many bytes. */
const CHECK_EVENTS = 256
const CHECK_BYTES = 256 * 1024
const TIME_MAX = Number.MAX_SAFE_INTEGER

export class EventScan {
  readonly #stores: (shard: number) => QueryStore
  readonly #clock: TaskClock
  /** One for each shard, which has its own shapes and words. */
  readonly #fields = new Map<number, RecordFields>()
  #seen = 0
  #bytes = 0
  timedOut = false

  constructor(stores: (shard: number) => QueryStore, clock: TaskClock) {
    this.#stores = stores
    this.#clock = clock
  }

  /** Walks the events of a job that meet the condition. */
  walk(job: QueriedJob, condition: Condition, fields: FieldSet, visit: Visitor): void {
    if (this.#isOver() || condition.kind === 'none') return
    const { environment, codec, assignees } = this.#stores(job.shard)
    let event = this.#fields.get(job.shard)
    if (event === undefined) {
      event = new RecordFields(environment, codec, fields, assignees)
      this.#fields.set(job.shard, event)
    }
    event.ofJob(job)
    const ids = requiredIds(condition)
    const goesOn = (micros: number, record: Uint8Array): boolean => {
      if (this.#isCheckDue(record.length) && this.#isOver()) return false
      event.event(micros, record)
      return !matches(condition, event) || visit(event, job, micros, record)
    }
    if (ids !== null) {
      for (const { micros, record } of recordsOf(environment, job, ids)) if (!goesOn(micros, record)) return
      return
    }
    const range = rangeOf(job, condition)
    if (range === null) return
    environment.scan('events', range, (key, record) => goesOn(timeOfKey(key), record))
  }

  #isCheckDue(bytes: number): boolean {
    this.#bytes += bytes
    if (++this.#seen < CHECK_EVENTS && this.#bytes < CHECK_BYTES) return false
    this.#seen = this.#bytes = 0
    return true
  }

  #isOver(): boolean {
    if (this.#clock.cancelled.isCancelled) throw new Refusal('query_timeout', 'the query was given up')
    if (!this.timedOut && this.#clock.nowMs() >= this.#clock.deadlineMs) this.timedOut = true
    return this.timedOut
  }
}

/** The keys of the ingest times that the condition allows, newest first; null for none. */
function rangeOf(job: QueriedJob, condition: Condition): KeyRange | null {
  const { first, last } = ingestedWithin(condition)
  if (first > last || last < 0) return null
  const from = timeKey(job.id, Math.max(0, Math.ceil(first)))
  const to = last >= TIME_MAX ? timeKey(job.id + 1, 0) : timeKey(job.id, Math.floor(last) + 1)
  return { from, to, reverse: true }
}

/** Newest first. */
function recordsOf(environment: Environment, job: QueriedJob, ids: ReadonlySet<string>): FoundEvent[] {
  const found = [...ids].map((id) => findEvent(environment, job.id, id)).filter((event) => event !== null)
  return found.sort((a, b) => b.micros - a.micros)
}
