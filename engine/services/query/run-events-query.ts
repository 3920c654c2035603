/**
 * `events/query`, run: one page of the events that a filter asks for.
 *
 * Owns: the condition, the order and the page. Leaves out: the walk (job-walk.ts), the rows (event-documents.ts), the
 * language of filters (domain/query/).
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { allOf, everything } from '../../domain/query/condition.js'
import { FieldSet } from '../../domain/query/field.js'
import { compileDates, compileFilters, parseFilters } from '../../domain/query/filter.js'
import { FirstEvents, SortOrder } from '../../domain/query/sort.js'
import type { EventsQuery } from '../../api/query-service.js'
import { TextBudget } from '../../domain/query/text-budget.js'
import { listText, mustHaveTime, queryTimedOut } from './answer-limits.js'
import { cursorInOrder, jobsNamed, pageBesideCursor, placeInOrder, type ListName } from './cursors.js'
import { EventDocuments } from './event-documents.js'
import { EventScan, type QueryContext } from './event-scan.js'
import { walkJobs, type SortedRef } from './job-walk.js'
import type { QueriedJob } from './query-protocol.js'
import { shownColumns } from './shown-columns.js'

const PAGE_SIZE_DEFAULT = 5

/** The answer, as JSON text. @throws Refusal. */
export function runEventsQuery(context: QueryContext, request: EventsQuery): string {
  const { task, stores, clock } = context
  const fields = new FieldSet(task.serviceNames)
  const compileContext = {
    nowMicros: task.nowMicros,
    clockMicros: task.clockMicros,
    offsetMinutes: 0,
    labels: task.jobs.map(({ labels }) => labels),
    textBudget: new TextBudget(() => mustHaveTime(clock)),
  }
  const { page = 0, size = PAGE_SIZE_DEFAULT, dateField = '@timestamp', startDate, endDate } = request
  if (request.after !== undefined && page > 0) throw pageBesideCursor('body')
  const window = request.countOnly === true ? 0 : (page + 1) * size
  if (window > limits.queryWindowMax) {
    throw new Refusal(
      'query_too_large',
      `a page ends at event ${limits.queryWindowMax} at the latest; \`next\` of a page as \`after\` goes on behind it`,
    )
  }
  const condition = allOf([
    compileFilters(parseFilters(request.filters), fields, compileContext),
    compileDates({ dateField, startDate, endDate }, fields, compileContext),
    request.eventIds === undefined
      ? everything
      : { kind: 'ids', field: fields.field('_id'), ids: new Set(request.eventIds) },
  ])
  const shown = shownColumns(request.columns, task.serviceNames, stores)
  const { sortBy, sortOrder = 'desc' } = request
  const order = orderBy(sortBy, sortOrder, fields)
  const listing: ListName = ['events/query', jobsNamed(request), sortBy ?? '', sortOrder]
  const after = request.after === undefined ? null : placeInOrder(listing, request.after, order)
  // One more tells whether there is another page.
  const first = new FirstEvents<SortedRef>(order, window === 0 ? 0 : window + 1)
  const scan = new EventScan(stores, clock)
  const total = walkJobs({ context, scan, fields, condition, order, first, after, tracked: Number.POSITIVE_INFINITY })
  if (scan.timedOut) throw queryTimedOut()
  if (request.countOnly === true) return JSON.stringify({ events: [], total_count: total.count })
  const pointsOnly = request.decisionPointsOnly === true
  const documents = new EventDocuments(stores, task.serviceNames[0] as string, pointsOnly, shown)
  const jobs = new Map(task.jobs.map((job) => [job.id, job]))
  const sorted = first.sorted()
  const refs = sorted.slice(page * size, window)
  const last = sorted.length > window ? refs.at(-1) : undefined
  const next = last === undefined ? null : cursorInOrder(listing, last)
  const rows = listText(refs, clock, (ref) => documents.row(jobs.get(ref.jobId) as QueriedJob, ref.micros))
  return `{"events":${rows},"total_count":${total.count},"page":${page},"size":${size},"next":${JSON.stringify(next)}}`
}

/** Newest first means by ingest time, which is the order of the keys. */
function orderBy(sortBy: string | undefined, sortOrder: 'asc' | 'desc', fields: FieldSet): SortOrder {
  const isIngest = sortBy === undefined || sortBy === 'timestamp_inference' || sortBy === 'ingest_timestamp'
  if (isIngest && sortOrder === 'desc') return new SortOrder([])
  const field = fields.column(sortBy ?? 'timestamp_inference')
  return new SortOrder([{ field, descending: sortOrder === 'desc', missingFirst: false }])
}
