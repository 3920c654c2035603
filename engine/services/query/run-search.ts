/**
 * A search in the language of search engines, run: hits, total and aggregations.
 *
 * Owns: the answer's text. Leaves out: the language and the aggregations (domain/query/), the walk (job-walk.ts), the
 * hits (event-documents.ts).
 *
 * 1. A search whose time is over answers with what it has found, and says so (`timed_out`).
 */
import { compileAggregations } from '../../domain/query/aggregation.js'
import { Budget, type AggregationContext, type EventRef, type AggregationJson } from '../../domain/query/collector.js'
import type { EventFields } from '../../domain/query/condition.js'
import { FieldSet } from '../../domain/query/field.js'
import { JsonReader } from '../../domain/query/json-reader.js'
import { parseSearch, type Search } from '../../domain/query/search.js'
import { FirstEvents } from '../../domain/query/sort.js'
import { TextBudget } from '../../domain/query/text-budget.js'
import type { SearchQuery } from '../../api/query-service.js'
import { listText, mustHaveTime } from './answer-limits.js'
import { EventDocuments } from './event-documents.js'
import { EventScan, type QueryContext } from './event-scan.js'
import { walkJobs, type SortedRef } from './job-walk.js'
import type { QueriedJob } from './query-protocol.js'

/** The answer, as JSON text. @throws Refusal. */
export function runSearch(queryContext: QueryContext, request: SearchQuery): string {
  const { task, stores, clock } = queryContext
  const startedMs = clock.nowMs()
  const fields = new FieldSet(task.serviceNames)
  const documents = new EventDocuments(stores, task.serviceNames[0] as string, request.decisionPointsOnly === true)
  const jobs = new Map(task.jobs.map((job) => [job.id, job]))
  let current: EventRef = { jobId: 0, micros: 0 }
  const context: AggregationContext = {
    nowMicros: task.nowMicros,
    offsetMinutes: 0,
    fields,
    spent: { clauses: 0 },
    textBudget: new TextBudget(() => mustHaveTime(clock)),
    budget: new Budget(),
    hits: {
      current: () => current,
      hit: (ref, source, sort) => documents.hit(jobs.get(ref.jobId) as QueriedJob, ref.micros, source, sort),
    },
  }
  const search = parseSearch(new JsonReader(request.queryBody, ['body', 'query_body']), context)
  const aggregations = compileAggregations(search.aggregations, context)
  const all = aggregations.bucket()
  const first = new FirstEvents<SortedRef>(search.order, search.from + search.size)
  const deadlineMs = Math.min(
    clock.deadlineMs,
    search.timeoutMs === null ? Number.POSITIVE_INFINITY : startedMs + search.timeoutMs,
  )
  const scan = new EventScan(stores, { ...clock, nowMs: clock.nowMs, deadlineMs })
  const aggregate = (event: EventFields, ref: EventRef): void => {
    current = ref
    all.collect(event)
  }
  const total = walkJobs({
    context: queryContext,
    scan,
    fields,
    condition: search.condition,
    order: search.order,
    first,
    tracked: search.tracked,
    after: search.after,
    postFilter: search.postFilter,
    ...(aggregations.isEmpty ? {} : { aggregate }),
  })
  const refs = first.sorted().slice(search.from)
  const hits = listText(refs, clock, (ref) =>
    context.hits.hit(ref, search.source, search.isSorted ? search.order.shown(ref) : null),
  )
  return searchAnswer(search, {
    hits,
    hasHits: refs.length > 0,
    total: total.count,
    isWhole: total.isWhole && !scan.timedOut,
    timedOut: scan.timedOut,
    took: Math.round(clock.nowMs() - startedMs),
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
  /** Milliseconds. */
  readonly took: number
  readonly shards: number
  readonly aggregations: AggregationJson | null
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
