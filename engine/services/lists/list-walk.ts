/**
 * The walk of a list through one job, newest first, within a time.
 *
 * Owns: which way the events of a job are read, and how far the walk came. Leaves out: what is done with the events
 * (run-list.ts, run-facets.ts).
 *
 * 1. The columns are walked as far as they cover the job. Behind that the records are read, and covered with it.
 * 2. Where the columns are full, records are read one by one.
 * 3. The walk says from which time on it has looked at everything. So it can go on later.
 * 4. By the events' own times the columns are walked only when they cover the job, or are full: then the events that
 *    arrived last are ordered.
 */
import { Refusal } from '../../errors.js'
import { allOf, ingestedWithin, matches, type Condition } from '../../domain/query/condition.js'
import type { Field, FieldSet } from '../../domain/query/field.js'
import { compileDates, compileFilters, type Filter } from '../../domain/query/filter.js'
import type { QueryTerms } from '../../domain/query/query-language.js'
import { TextBudget } from '../../domain/query/text-budget.js'
import type { ListSelection } from '../../api/live/list-service.js'
import { timeKey, timeOfKey } from '../../store/tables.js'
import { mustHaveTime } from '../query/answer-limits.js'
import type { QueryStore } from '../query/event-scan.js'
import type { QueriedJob } from '../query/query-protocol.js'
import { RecordFields } from '../query/record-fields.js'
import type { TaskClock } from '../readers/task-frame.js'
import type { ColumnStore } from './column-store.js'
import { ROWS_AT_ONCE } from './column-walk.js'
import type { EventColumns } from './event-columns.js'
import type { EventRows } from './event-rows.js'
import type { FieldColumns } from './field-columns.js'
import type { ListTask } from './list-protocol.js'
import { RowFilter } from './row-filter.js'
import { beginning, type TimePlace } from './time-order.js'

/** Records between two looks at the clock. Every walk makes so much way, however little time there is. */
const CHECK_RECORDS = 128
/** Rows that are looked at in memory between two looks at the clock. */
const CHECK_ROWS = 8_192
/** Milliseconds for an answer. */
const WITHIN_MS = 200

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

/** An event that passes. `rows` is null where the columns do not cover it. `record` reads it, if it has to. */
export interface FoundRow {
  micros: number
  rows: EventRows | null
  at: number
  record(): Uint8Array | null
}

/** A row whose event passes; it is valid until the next one. False ends the walk. */
export type RowVisitor = (row: FoundRow) => boolean

export class ListWalk {
  readonly job: QueriedJob
  readonly columns: EventColumns
  readonly fields: RecordFields
  readonly filter: RowFilter
  readonly fieldColumns: FieldColumns
  readonly #store: QueryStore
  readonly #condition: Condition
  readonly #isOver: (work: number) => boolean
  readonly #first: number
  readonly #last: number

  constructor(context: ListContext, job: QueriedJob, selection: ParsedSelection) {
    const { stores, clock, columns } = context
    const { fieldSet, condition, withinMs, atLeast, noted } = selection
    const store = stores(job.shard)
    const untilMs = Math.min(selection.untilMs, clock.nowMs() + withinMs)
    const kept = columns.of(context.dataDir, store, job)
    this.job = job
    this.columns = kept.columns
    this.#store = store
    this.#condition = condition
    this.#isOver = (work) => {
      if (clock.cancelled.isCancelled) throw new Refusal('query_timeout', 'the query was given up')
      const nowMs = clock.nowMs()
      return nowMs >= clock.deadlineMs || (nowMs >= untilMs && work >= atLeast)
    }
    this.fields = new RecordFields(store.environment, store.codec, fieldSet, store.assignees)
    this.fields.ofJob(job)
    const { first, last } = ingestedWithin(condition)
    this.#first = first
    this.#last = last
    this.filter = new RowFilter(condition, {
      job,
      store,
      columns: kept.columns,
      fields: this.fields,
      fieldColumns: kept.fields,
      kept: kept.verdicts,
      values: kept.values,
      said: kept.said,
      noted,
    })
    this.fieldColumns = kept.fields
  }

  /** Walks the events before a time. */
  walk(before: number, visit: RowVisitor): Walked {
    if (this.#condition.kind === 'none') return { from: 0, looked: 0 }
    const end = Math.min(before, this.#last + 1)
    const { filter, columns } = this
    let from = -1
    let looked = 0
    let [checked, seen, passed] = [0, 0, 0]
    const endAt = (micros: number): false => {
      from = micros
      return false
    }
    const found: FoundRow = { micros: 0, rows: null, at: 0, record: () => filter.record() }
    const shown = (rows: EventRows, at: number, micros: number): boolean => {
      found.micros = micros
      found.rows = rows
      found.at = at
      return visit(found) || endAt(micros)
    }
    const row = (rows: EventRows, at: number): boolean => {
      const micros = rows.times[at] as number
      if (micros < this.#first) return endAt(0)
      const passes = filter.passes(rows, at)
      if (filter.reads >= checked + CHECK_RECORDS) {
        checked = filter.reads
        // The walk that goes on from here looks at this row.
        if (this.#isOver(filter.reads)) return endAt(micros + 1)
      }
      return !passes || shown(rows, at, micros)
    }
    const pause = (micros: number): boolean => {
      if (micros < this.#first) return endAt(0)
      return !this.#isOver((passed += ROWS_AT_ONCE)) || endAt(Math.min(end, micros))
    }
    looked = columns.walk(end, { tables: filter.tables, visit: row, pause })
    if (from >= 0) return { from, looked }
    columns.cover(this.#store.environment, this.job.id, (rows, at, record) => {
      const micros = rows.times[at] as number
      if (micros < this.#first) return endAt(0)
      if (micros < end) {
        looked++
        if (filter.passesRecord(rows, at, record) && !shown(rows, at, micros)) return false
      }
      // What is newer than the cursor is covered on the way; the walk still goes on from the cursor.
      return ++seen % CHECK_RECORDS !== 0 || !this.#isOver(seen) || endAt(Math.min(end, micros))
    })
    if (from >= 0) return { from, looked }
    if (columns.isWhole) return { from: 0, looked }
    return this.#walkRecords(Math.min(end, columns.from), visit, looked)
  }

  /**
   * Walks the events behind a place by their own times, newest first; `from` is the place up to which all were looked
   * at, null at the end.
   */
  walkByTime(
    behind: TimePlace | null,
    visit: RowVisitor,
  ): { readonly from: TimePlace | null; readonly looked: number } {
    if (this.#condition.kind === 'none') return { from: null, looked: 0 }
    const { filter, columns } = this
    let seen = 0
    let isOver = false
    columns.cover(this.#store.environment, this.job.id, (rows, at, record) => {
      filter.passesRecord(rows, at, record)
      isOver = ++seen % CHECK_RECORDS === 0 && this.#isOver(seen)
      return !isOver
    })
    if (isOver && !columns.isWhole && !columns.isFull) return { from: behind ?? beginning, looked: seen }
    let from: TimePlace | null = null
    let [looked, checked] = [0, 0]
    let last = behind ?? beginning
    const found: FoundRow = { micros: 0, rows: null, at: 0, record: () => filter.record() }
    columns.walkByTime(behind, (rows, at) => {
      const micros = rows.times[at] as number
      const work = looked + filter.reads
      if (work >= checked + CHECK_ROWS || filter.reads >= checked + CHECK_RECORDS) {
        checked = work
        if (this.#isOver(work)) {
          from = last
          return false
        }
      }
      looked++
      last = { own: rows.own[at] as number, micros }
      if (!filter.passes(rows, at)) return true
      found.micros = micros
      found.rows = rows
      found.at = at
      if (visit(found)) return true
      from = last
      return false
    })
    return { from, looked: seen + looked }
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
      if (++work % CHECK_RECORDS === 0 && this.#isOver(work)) {
        from = micros + 1
        return false
      }
      looked++
      this.fields.event(micros, value)
      if (!matches(this.#condition, this.fields)) return true
      if (visit({ micros, rows: null, at: 0, record: () => value })) return true
      from = micros
      return false
    })
    return { from, looked }
  }
}

export interface ParsedSelection {
  readonly fieldSet: FieldSet
  readonly condition: Condition
  /** For this job, and for all jobs. */
  readonly withinMs: number
  readonly untilMs: number
  /** Records that are read, or rows that are covered, before the time counts. */
  readonly atLeast: number
  /** Fields whose values are noted of every record that is read. */
  readonly noted: readonly Field[]
}

/** What filters and queries of a request are compiled for. */
function termsOf({ nowMicros, clockMicros, jobs }: ListTask, clock: TaskClock): QueryTerms {
  const labels = jobs.map((job) => job.labels)
  return { nowMicros, clockMicros, offsetMinutes: 0, labels, textBudget: new TextBudget(() => mustHaveTime(clock)) }
}

export interface Selecting {
  readonly filters: readonly Filter[]
  readonly dates: ListSelection
  readonly atLeast?: number
  readonly noted?: readonly Field[]
}

/** What the jobs of a request share; all fields are known before the first event is read. @throws Refusal. */
export function parseSelection(
  { task, clock }: ListContext,
  { filters, dates, atLeast = 0, noted = [] }: Selecting,
  fieldSet: FieldSet,
): ParsedSelection {
  const context = termsOf(task, clock)
  const { dateField = '@timestamp', startDate, endDate, withinMs = WITHIN_MS } = dates
  const condition = allOf([
    compileFilters(filters, fieldSet, context),
    compileDates({ dateField, startDate, endDate }, fieldSet, context),
  ])
  return {
    fieldSet,
    condition,
    withinMs: withinMs / Math.max(1, task.jobs.length),
    untilMs: clock.nowMs() + withinMs,
    atLeast: atLeast / Math.max(1, task.jobs.length),
    noted,
  }
}
