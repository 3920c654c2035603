/**
 * Events of jobs, walked in one snapshot, newest first in each job.
 *
 * Owns: which records are looked at (by ingest time, by id, or all), time and cancellation. Leaves out: what is done with
 * what passes.
 *
 * 1. A scan is synchronous, so every read of a shard is of one snapshot; a job lives in one shard.
 * 2. Time is looked at every few hundred events, or less where they are large: a scan that is over its time stops where it is,
 *    and says so.
 */
import { Refusal } from '../../errors.js'
import { requiredIds, ingestedWithin, matches, type Condition } from '../../domain/query/condition.js'
import type { FieldSet } from '../../domain/query/field.js'
import type { BodyCodec } from '../../store/body-codec.js'
import type { Environment, KeyRange } from '../../store/environment.js'
import { timeKey, timeOfKey } from '../../store/tables.js'
import { findEvent, type FoundEvent } from '../../actor/event-table.js'
import type { QueriedJob } from './query-task.js'
import { RecordFields } from './record-fields.js'
import type { TaskClock } from '../readers/task-frame.js'

/** One shard, open for reading. */
export interface QueryStore {
  readonly environment: Environment
  readonly codec: BodyCodec
}

/** Told of each event that passes, whose bytes are there until the next one; false ends the walk through its job. */
export type Visitor = (event: RecordFields, job: QueriedJob, micros: number, record: Uint8Array) => boolean

const LOOK_EVERY = 256
const LOOK_EVERY_BYTES = 256 * 1024
const TIME_MAX = Number.MAX_SAFE_INTEGER

export class EventScan {
  readonly #stores: (shard: number) => QueryStore
  readonly #clock: TaskClock
  /** One a shard: shapes and words are a shard's own. */
  readonly #fields = new Map<number, RecordFields>()
  #seen = 0
  #bytes = 0
  timedOut = false

  constructor(stores: (shard: number) => QueryStore, clock: TaskClock) {
    this.#stores = stores
    this.#clock = clock
  }

  /** Walks the events of a job that the condition asks for. */
  walk(job: QueriedJob, condition: Condition, fields: FieldSet, visit: Visitor): void {
    if (this.#isOver() || condition.kind === 'none') return
    const { environment, codec } = this.#stores(job.shard)
    let event = this.#fields.get(job.shard)
    if (event === undefined) this.#fields.set(job.shard, (event = new RecordFields(environment, codec, fields)))
    event.ofJob(job)
    const ids = requiredIds(condition)
    const goesOn = (micros: number, record: Uint8Array): boolean => {
      if (this.#isTimeToLook(record.length) && this.#isOver()) return false
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

  #isTimeToLook(bytes: number): boolean {
    this.#bytes += bytes
    if (++this.#seen < LOOK_EVERY && this.#bytes < LOOK_EVERY_BYTES) return false
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
