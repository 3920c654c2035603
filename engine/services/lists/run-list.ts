/**
 * A page of events, newest first, in a bounded time: by their arrival, or by their own times.
 *
 * Owns: the page, its cursor, the count. Leaves out: the walk (list-walk.ts), the rows (query/event-documents.ts).
 *
 * 1. Ingest times are unique in the service, so one place in the order is the cursor for all jobs.
 * 2. When the time is over, the page ends where everything newer was looked at, with what was found. `next` goes on.
 */
import { must } from '../../assert.js'
import { isoMicros } from '../../clock.js'
import { limits } from '../../limits.js'
import { eventIdOf, microsOfEventId } from '../../domain/event/event-id.js'
import { FieldSet } from '../../domain/query/field.js'
import { parseFilters } from '../../domain/query/filter.js'
import type { ListQuery } from '../../api/live/list-service.js'
import { readStats } from '../../actor/job-stats.js'
import { listText } from '../query/answer-limits.js'
import { cursorAt, eventList, notACursor, placeIn } from '../query/cursors.js'
import { EventDocuments } from '../query/event-documents.js'
import type { QueriedJob } from '../query/query-protocol.js'
import { shownColumns } from '../query/shown-columns.js'
import { ListWalk, parseSelection, type FoundRow, type ListContext, type RowVisitor } from './list-walk.js'
import { comparePlaces, type TimePlace } from './time-order.js'

const SIZE = 50
/** Milliseconds for a page: the first rows come soon, however rare they are. Counting has the time of facets. */
const PAGE_MS = 80
/** The same by the events' own times, for which the columns have to cover the job: once after a start. */
const ORDERED_PAGE_MS = 800

interface Ref {
  readonly job: QueriedJob
  /** In the order of the list: by arrival, `own` is the time of arrival as well. */
  readonly place: TimePlace
}

/** By what a list is ordered: its walk through one job, and its cursors. */
interface Order {
  placeOf(row: FoundRow): TimePlace
  walk(walk: ListWalk, behind: TimePlace | null, visit: RowVisitor): { from: TimePlace | null; looked: number }
  textOf(place: TimePlace): string
  read(cursor: string): TimePlace
}

const byArrival: Order = {
  placeOf: ({ micros }) => ({ own: micros, micros }),
  walk: (walk, behind, visit) => {
    const { from, looked } = walk.walk(behind?.micros ?? Number.POSITIVE_INFINITY, visit)
    return { from: from === 0 ? null : { own: from, micros: from }, looked }
  },
  textOf: ({ micros }) => eventIdOf(micros),
  read: (cursor) => {
    const micros = cursorOf(cursor)
    return { own: micros, micros }
  },
}

const byOwnTime: Order = {
  placeOf: ({ rows, at, micros }) => ({ own: must(rows, 'the row of an event in order').own[at] as number, micros }),
  walk: (walk, behind, visit) => walk.walkByTime(behind, visit),
  textOf: ({ own, micros }) => `${own} ${micros}`,
  read: (cursor) => {
    const [own, micros] = /^(-?\d{1,17}|Infinity) (\d{1,17}|Infinity)$/.exec(cursor)?.slice(1).map(Number) ?? []
    if (own === undefined || micros === undefined) throw notACursor()
    return { own, micros }
  },
}

/** The answer as JSON text. @throws Refusal. */
export function runList(context: ListContext, query: ListQuery): string {
  const { task, stores, clock } = context
  const { size = SIZE, after, count = false, rawBody = false } = query
  const isByOwnTime = query.newestBy === '@timestamp'
  const order = isByOwnTime ? byOwnTime : byArrival
  const name = eventList(query, isByOwnTime)
  const behind = after === undefined ? null : order.read(placeIn(name, after))
  const selection = parseSelection(
    context,
    {
      filters: parseFilters(query.filters),
      dates: count ? query : { withinMs: isByOwnTime ? ORDERED_PAGE_MS : PAGE_MS, ...query },
      atLeast: count ? limits.listRecordsMin : 0,
    },
    new FieldSet(task.serviceNames),
  )
  const shown = shownColumns(query.columns, task.serviceNames, stores)
  // What is counted already need not be walked.
  const isKnown = count && selection.condition.kind === 'all' && after === undefined
  let [found, looked, events] = [0, 0, 0]
  let from: TimePlace | null = null
  let isCounted = true
  const refs: Ref[] = []
  for (const job of task.jobs) {
    const walk = new ListWalk(context, job, selection)
    let taken = 0
    let horizon: TimePlace | null = null
    const walked = order.walk(walk, behind, (row) => {
      found++
      if (taken < size) {
        const place = order.placeOf(row)
        refs.push({ job, place })
        if (++taken === size) {
          horizon = place
          return count && !isKnown
        }
      }
      return true
    })
    looked += walked.looked
    if (walked.from !== null && !isKnown) isCounted = false
    const certainTo: TimePlace | null = horizon ?? walked.from
    if (certainTo !== null && (from === null || comparePlaces(certainTo, from) < 0)) from = certainTo
    events += readStats(stores(job.shard).environment, job.id, job.labels.length).events
  }
  refs.sort((a, b) => comparePlaces(a.place, b.place))
  const certain = from === null ? refs : refs.filter(({ place }) => comparePlaces(place, from as TimePlace) <= 0)
  const page = certain.slice(0, size)
  const next = certain.length > size ? (page.at(-1) as Ref).place : from
  const documents = new EventDocuments(stores, task.serviceNames[0] as string, true, shown)
  const rows = listText(page, clock, ({ job, place: { micros } }) => documents.listed(job, micros, rawBody))
  const rest = {
    next: next === null ? null : cursorAt(name, order.textOf(next)),
    looked_at: looked,
    looked_back_to: next === null || next.own === Number.POSITIVE_INFINITY ? null : isoMicros(next.own),
    job_events: events,
    total_count: count ? (isKnown ? events : found) : null,
    total_count_is_exact: count && isCounted,
  }
  return `{"events":${rows},${JSON.stringify(rest).slice(1)}`
}

/** The time in the text of a place. @throws Refusal invalid_cursor. */
export function cursorOf(text: string): number {
  const micros = text.length > limits.nameCharsMax ? null : microsOfEventId(text)
  if (micros === null) throw notACursor()
  return micros
}
