/**
 * The two questions about events, run: `events/query`, and a search in the language of search engines.
 *
 * Owns: pages, counts, what is left unread because nobody would see it. Leaves out: the walk (event-scan.ts), the documents
 * (event-documents.ts), the language (query/).
 *
 * 1. Newest first is the order in which a job is walked: once the page is full of newer events, the rest of a job is only
 *    counted, and not even that where the count is known or not asked for.
 * 2. An answer is put together one document after the other: what is too large, or takes too long, ends there.
 */
import { Refusal } from '../../errors.js'
import { limits } from '../../limits.js'
import { JsonReader } from '../../domain/query/json-reader.js'
import { compileAggregations } from '../../domain/query/aggregation.js'
import { allOf, everything, matches, type Condition } from '../../domain/query/condition.js'
import { TextBudget } from '../../domain/query/text-budget.js'
import { FieldSet } from '../../domain/query/field.js'
import { compileDates, compileFilters, parseFilters } from '../../domain/query/filter.js'
import { parseSearch, type Search } from '../../domain/query/search.js'
import { FirstEvents, SortOrder, type SortPosition } from '../../domain/query/sort.js'
import { EventAnswers } from './event-documents.js'
import { EventScan, type QueryStore } from './event-scan.js'
import { readStats } from '../../actor/job-stats.js'
import type { EventsQuery, SearchQuery } from '../../api/query-service.js'
import type { QueriedJob, QueryTask } from './query-task.js'
import { Budget, type AggregationContext, type EventRef, type Json } from '../../domain/query/collector.js'
import type { TaskClock } from '../readers/task-frame.js'

const PAGE_SIZE_DEFAULT = 5

/** What a question is run on. */
export interface QueryGround {
  readonly task: QueryTask
  readonly stores: (shard: number) => QueryStore
  readonly clock: TaskClock
}

interface Ref extends SortPosition, EventRef {}

/** The answer to `events/query`, as JSON text. @throws Refusal. */
export function runEventsQuery(ground: QueryGround, request: EventsQuery): string {
  const { task, stores, clock } = ground
  const fields = new FieldSet(task.serviceNames)
  const context = { nowMicros: task.nowMicros, offsetMinutes: 0 }
  const { page = 0, size = PAGE_SIZE_DEFAULT, dateField = '@timestamp', startDate, endDate } = request
  const window = request.countOnly === true ? 0 : (page + 1) * size
  if (window > limits.queryWindowMax) {
    throw new Refusal(
      'query_too_large',
      `a page ends at the latest behind event ${limits.queryWindowMax}; narrow the dates to see further events`,
    )
  }
  const condition = allOf([
    compileFilters(parseFilters(request.filters), fields, context),
    compileDates({ dateField, startDate, endDate }, fields, context),
    request.eventIds === undefined
      ? everything
      : { kind: 'ids', field: fields.field('_id'), ids: new Set(request.eventIds) },
  ])
  const { sortBy, sortOrder = 'desc' } = request
  const order = orderBy(sortBy, sortOrder, fields)
  const first = new FirstEvents<Ref>(order, window)
  const scan = new EventScan(stores, clock)
  const total = walkJobs({ ground, scan, fields, condition, order, first, tracked: Number.POSITIVE_INFINITY })
  if (scan.timedOut) throw tookTooLong()
  if (request.countOnly === true) return JSON.stringify({ events: [], total_count: total.count })
  const answers = new EventAnswers(stores, task.serviceNames[0] as string, request.decisionPointsOnly === true)
  const jobs = new Map(task.jobs.map((job) => [job.id, job]))
  const refs = first.sorted().slice(page * size)
  const rows = bounded(refs, clock, (ref) => answers.row(jobs.get(ref.jobId) as QueriedJob, ref.micros))
  return `{"events":${rows},"total_count":${total.count},"page":${page},"size":${size}}`
}

function tookTooLong(): Refusal {
  return new Refusal(
    'query_timeout',
    `the query took longer than ${limits.queryMsMax} ms; narrow its jobs, dates or filters`,
  )
}

/** What was found in time may be shown a little later. @throws Refusal query_timeout. */
function mustHaveTime({ nowMs, deadlineMs, cancelled }: TaskClock): void {
  if (cancelled.isCancelled) throw new Refusal('query_timeout', 'the query was given up')
  if (nowMs() >= deadlineMs + limits.queryGraceMs) throw tookTooLong()
}

/** Newest first is by ingest time, the order of the keys. */
function orderBy(sortBy: string | undefined, sortOrder: 'asc' | 'desc', fields: FieldSet): SortOrder {
  const isIngest = sortBy === undefined || sortBy === 'timestamp_inference' || sortBy === 'ingest_timestamp'
  if (isIngest && sortOrder === 'desc') return new SortOrder([])
  const field = fields.column(sortBy ?? 'timestamp_inference')
  return new SortOrder([{ field, descending: sortOrder === 'desc', missingFirst: false }])
}

/** The answer to a search, as JSON text; what was found until the time was over, where it was over. @throws Refusal. */
export function runSearch(ground: QueryGround, request: SearchQuery): string {
  const { task, stores } = ground
  const startedMs = ground.clock.nowMs()
  const fields = new FieldSet(task.serviceNames)
  const answers = new EventAnswers(stores, task.serviceNames[0] as string, request.decisionPointsOnly === true)
  const jobs = new Map(task.jobs.map((job) => [job.id, job]))
  const query = new JsonReader(request.queryBody, ['body', 'query_body'])
  let current: EventRef = { jobId: 0, micros: 0 }
  const context: AggregationContext = {
    nowMicros: task.nowMicros,
    offsetMinutes: 0,
    fields,
    spent: { clauses: 0 },
    textBudget: new TextBudget(() => mustHaveTime(ground.clock)),
    budget: new Budget(),
    hits: {
      current: () => current,
      hit: (ref, source, sort) => answers.hit(jobs.get(ref.jobId) as QueriedJob, ref.micros, source, sort),
    },
  }
  const search = parseSearch(query, context)
  const aggregations = compileAggregations(search.aggregations, context)
  const all = aggregations.bucket()
  const first = new FirstEvents<Ref>(search.order, search.from + search.size)
  const deadlineMs = Math.min(
    ground.clock.deadlineMs,
    search.timeoutMs === null ? Number.POSITIVE_INFINITY : startedMs + search.timeoutMs,
  )
  const scan = new EventScan(stores, { ...ground.clock, nowMs: ground.clock.nowMs, deadlineMs })
  const visited = aggregations.isEmpty
    ? undefined
    : (ref: EventRef, collect: () => void) => {
        current = ref
        collect()
      }
  const total = walkJobs({
    ground,
    scan,
    fields,
    condition: search.condition,
    order: search.order,
    first,
    tracked: search.tracked,
    after: search.after,
    postFilter: search.postFilter,
    ...(visited === undefined ? {} : { aggregate: (event, ref) => visited(ref, () => all.collect(event)) }),
  })
  const refs = first.sorted().slice(search.from)
  const hits = bounded(refs, ground.clock, (ref) =>
    context.hits.hit(ref, search.source, search.isSorted ? search.order.shown(ref) : null),
  )
  return searchAnswer(search, {
    hits,
    hasHits: refs.length > 0,
    total: total.count,
    isWhole: total.isWhole && !scan.timedOut,
    timedOut: scan.timedOut,
    took: Math.round(ground.clock.nowMs() - startedMs),
    shards: new Set(task.jobs.map(({ shard }) => shard)).size,
    aggregations: aggregations.isEmpty ? null : all.inner(),
  })
}

interface Found {
  readonly hits: string
  readonly hasHits: boolean
  readonly total: number
  readonly isWhole: boolean
  readonly timedOut: boolean
  readonly took: number
  readonly shards: number
  readonly aggregations: Json | null
}

function searchAnswer(search: Search, found: Found): string {
  const { took, timedOut, shards, isWhole, aggregations } = found
  const head = { took, timed_out: timedOut, _shards: { total: shards, successful: shards, skipped: 0, failed: 0 } }
  const isOver = found.total > search.tracked
  const total = { value: isOver ? search.tracked : found.total, relation: isOver || !isWhole ? 'gte' : 'eq' }
  const hits = { ...(search.tracked === 0 ? {} : { total }), max_score: search.isSorted || !found.hasHits ? null : 1 }
  const text = `${JSON.stringify(head).slice(0, -1)},"hits":${JSON.stringify(hits).slice(0, -1)},"hits":${found.hits}}`
  return aggregations === null ? `${text}}` : `${text},"aggregations":${JSON.stringify(aggregations)}}`
}

interface Walk {
  readonly ground: QueryGround
  readonly scan: EventScan
  readonly fields: FieldSet
  readonly condition: Condition
  readonly order: SortOrder
  readonly first: FirstEvents<Ref>
  /** How many need to be counted. */
  readonly tracked: number
  readonly after?: SortPosition | null
  readonly postFilter?: Condition
  readonly aggregate?: (event: Parameters<Parameters<EventScan['walk']>[3]>[0], ref: EventRef) => void
}

/** Walks all jobs; how many events passed, and whether all of them were counted. */
function walkJobs(walk: Walk): { count: number; isWhole: boolean } {
  const {
    ground,
    scan,
    fields,
    condition,
    order,
    first,
    tracked,
    after = null,
    postFilter = everything,
    aggregate,
  } = walk
  let count = 0
  let isWhole = true
  for (const job of ground.task.jobs) {
    const before = count
    scan.walk(job, condition, fields, (event, { id }, micros) => {
      const ref = { jobId: id, micros, values: order.isNewestFirst ? none : order.valuesOf(event) }
      if (aggregate !== undefined) aggregate(event, ref)
      if (!matches(postFilter, event)) return true
      count++
      const taken = (after === null || order.compare(after, ref) < 0) && first.takes(ref)
      if (taken) first.add(ref)
      // From here on everything in this job is older still: nothing of it comes onto the page.
      if (taken || aggregate !== undefined || !order.isNewestFirst || after !== null || first.takes(ref)) return true
      if (condition.kind === 'all' && postFilter.kind === 'all') {
        count = before + eventsOf(ground, job)
        return false
      }
      if (count <= tracked) return true
      isWhole = false
      return false
    })
  }
  return { count, isWhole }
}

const none: readonly never[] = []

function eventsOf({ stores }: QueryGround, job: QueriedJob): number {
  return readStats(stores(job.shard).environment, job.id, job.labels.length).events
}

/** The documents of events as the text of a list. @throws Refusal query_too_large, query_timeout. */
function bounded(refs: readonly Ref[], clock: TaskClock, documentOf: (ref: Ref) => Json): string {
  const texts: string[] = []
  let length = 0
  for (const ref of refs) {
    mustHaveTime(clock)
    const text = JSON.stringify(documentOf(ref))
    length += text.length
    if (length > limits.queryResultBytesMax) {
      throw new Refusal(
        'query_too_large',
        `an answer has at most ${limits.queryResultBytesMax} bytes; ask for fewer events, or for less of each`,
      )
    }
    texts.push(text)
  }
  return `[${texts.join(',')}]`
}
