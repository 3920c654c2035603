/**
 * The walk of a list through one job, newest first, within a time.
 *
 * Owns: which way the events of a job are read, and how far the walk came. Leaves out: what is done with the events
 * (run-list.ts, run-facets.ts).
 *
 * 1. Filters that the columns answer are asked there. Only events that pass them are read.
 * 2. Where every filter looks at records, and for events that the columns do not cover, records are read one by one.
 * 3. The walk says from which time on it has looked at everything. So it can go on later.
 */
import { Refusal } from '../../errors.js'
import { everything, ingestedWithin, type Condition } from '../../domain/query/condition.js'
import type { FieldSet } from '../../domain/query/field.js'
import { compileDates, compileFilters, type Filter } from '../../domain/query/filter.js'
import type { ListSelection } from '../../api/live/list-service.js'
import { timeKey, timeOfKey } from '../../store/tables.js'
import type { QueryStore } from '../query/event-scan.js'
import type { QueriedJob } from '../query/query-protocol.js'
import type { QueryTerms } from '../../domain/query/query-language.js'
import { TextBudget } from '../../domain/query/text-budget.js'
import { mustHaveTime } from '../query/answer-limits.js'
import { RecordFields } from '../query/record-fields.js'
import type { TaskClock } from '../readers/task-frame.js'
import type { ColumnStore } from './column-store.js'
import type { EventColumns, EventRow } from './event-columns.js'
import { ListFilter } from './list-filter.js'
import type { ListTask } from './list-protocol.js'

/** Records between two looks at the clock. */
const CHECK_RECORDS = 128
/** Milliseconds for an answer, and the share of it for covering more events. */
const WITHIN_MS = 200
const COVER_SHARE = 0.5

/** What lists of one request have in common. */
export interface ListContext {
  readonly dataDir: string
  readonly task: ListTask
  readonly stores: (shard: number) => QueryStore
  readonly columns: ColumnStore
  readonly clock: TaskClock
}

export interface Walked {
  /** Every event from this time on was looked at; 0 for all of them. */
  readonly from: number
  readonly looked: number
}

/** A row whose event passes. `record` is there if it had to be read. False ends the walk. */
export type RowVisitor = (row: EventRow, record: Uint8Array | null) => boolean

export class ListWalk {
  readonly job: QueriedJob
  readonly columns: EventColumns
  readonly fields: RecordFields
  readonly #store: QueryStore
  readonly #filter: ListFilter
  readonly #isOver: () => boolean
  readonly #first: number
  readonly #last: number

  constructor(context: ListContext, job: QueriedJob, selection: ParsedSelection) {
    const { task, stores, clock, columns } = context
    const { fieldSet, filters, dates, withinMs } = selection
    const store = stores(job.shard)
    const beganMs = clock.nowMs()
    const isPast = (ms: number): boolean => {
      if (clock.cancelled.isCancelled) throw new Refusal('query_timeout', 'the query was given up')
      return clock.nowMs() >= Math.min(ms, clock.deadlineMs)
    }
    const untilMs = Math.min(selection.untilMs, beganMs + withinMs)
    const kept = columns.of(context.dataDir, store.environment, job, () =>
      isPast(beganMs + (untilMs - beganMs) * COVER_SHARE),
    )
    this.job = job
    this.columns = kept.columns
    this.#store = store
    this.#isOver = () => isPast(untilMs)
    this.fields = new RecordFields(store.environment, store.codec, fieldSet, store.assignees)
    this.fields.ofJob(job)
    const { first, last } = ingestedWithin(dates)
    this.#first = first
    this.#last = last
    const bounds = dates.kind === 'ingested' ? everything : dates
    this.#filter = new ListFilter(filters, bounds, {
      job,
      store,
      columns: kept.columns,
      fields: this.fields,
      fieldSet,
      context: termsOf(task, clock),
      kept: kept.verdicts,
      values: kept.values,
    })
  }

  /** Walks the events before a time. */
  walk(before: number, visit: RowVisitor): Walked {
    const end = Math.min(before, this.#last + 1)
    const filter = this.#filter
    if (filter.needsRecords && filter.needsRecordsAlone) return this.#walkRecords(end, visit, 0)
    let from = -1
    const { environment } = this.#store
    let reads = 0
    let checked = 0
    const endAt = (micros: number): false => {
      from = micros
      return false
    }
    const row = (micros: number, bucket: number, code: number, confidence: number): boolean => {
      if (micros < this.#first) return endAt(0)
      const passes = filter.passesRow(micros, bucket, code, confidence)
      if (reads + filter.reads >= checked + CHECK_RECORDS) {
        checked = reads + filter.reads
        // The walk that goes on from here looks at this row.
        if (this.#isOver()) return endAt(micros + 1)
      }
      if (!passes) return true
      let record: Uint8Array | null = null
      if (filter.needsRecords) {
        reads++
        record = environment.get('events', timeKey(this.job.id, micros)) ?? null
        if (record === null || !filter.passesRecord(micros, record)) return true
      }
      return visit({ micros, bucket, code, confidence }, record) || endAt(micros)
    }
    const pause = (micros: number): boolean => {
      if (micros < this.#first) return endAt(0)
      return !this.#isOver() || endAt(Math.min(end, micros))
    }
    const looked = this.columns.walk(end, { tables: filter.tables, visit: row, pause })
    if (from >= 0) return { from, looked }
    if (this.columns.isWhole) return { from: 0, looked }
    return this.#walkRecords(Math.min(end, this.columns.from), visit, looked)
  }

  #walkRecords(before: number, visit: RowVisitor, lookedBefore: number): Walked {
    const { job } = this
    let looked = lookedBefore
    let from = 0
    const first = Math.max(0, Math.ceil(this.#first))
    if (first >= before) return { from: 0, looked }
    const to = before > Number.MAX_SAFE_INTEGER ? timeKey(job.id + 1, 0) : timeKey(job.id, Math.floor(before))
    let work = 0
    this.#store.environment.scan('events', { from: timeKey(job.id, first), to, reverse: true }, (key, value) => {
      const micros = timeOfKey(key)
      // Every walk makes some way, however little time there is.
      if (++work % CHECK_RECORDS === 0 && this.#isOver()) {
        from = micros + 1
        return false
      }
      looked++
      if (!this.#filter.passesAll(micros, value)) return true
      if (visit({ micros, bucket: -1, code: -1, confidence: -1 }, value)) return true
      from = micros
      return false
    })
    return { from, looked }
  }
}

export interface ParsedSelection {
  readonly fieldSet: FieldSet
  readonly filters: readonly Filter[]
  readonly dates: Condition
  /** For this job, and for all jobs. */
  readonly withinMs: number
  readonly untilMs: number
}

/** What filters and queries of a request are compiled for. */
function termsOf({ nowMicros, clockMicros, jobs }: ListTask, clock: TaskClock): QueryTerms {
  const labels = jobs.map((job) => job.labels)
  return { nowMicros, clockMicros, offsetMinutes: 0, labels, textBudget: new TextBudget(() => mustHaveTime(clock)) }
}

/** What the jobs of a request share. @throws Refusal invalid_body. */
export function parseSelection(
  { task, clock }: ListContext,
  { filters, dates }: { readonly filters: readonly Filter[]; readonly dates: ListSelection },
  fieldSet: FieldSet,
): ParsedSelection {
  const context = termsOf(task, clock)
  // All fields are known before the first event is read (record-fields.ts).
  compileFilters(filters, fieldSet, context)
  const { dateField = 'timestamp_inference', startDate, endDate, withinMs = WITHIN_MS } = dates
  return {
    fieldSet,
    filters,
    dates: compileDates({ dateField, startDate, endDate }, fieldSet, context),
    withinMs: withinMs / Math.max(1, task.jobs.length),
    untilMs: clock.nowMs() + withinMs,
  }
}
