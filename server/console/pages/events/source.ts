/**
 * Rows of the page of events: page by page, as far as somebody scrolls, and counts of values.
 *
 * 1. A request of an earlier query is cancelled. Its rows never show under the new one.
 * 2. The rows of a view are those of one moment: later events are not among them, so no page repeats a row.
 */
import { addresses } from '../../addresses.js'
import { api, session } from '../../state/api.js'
import { titleOf, type QueriedEvent } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { filtersOf, type Filter } from './query.js'

/** One event on a line. Little is kept of each, since there may be a hundred thousand. */
export interface Row {
  readonly id: string
  readonly title: string
  readonly label: string
  readonly confidence: number
  readonly status: string
  readonly isOutlier: boolean
  readonly consensus: string | null
  readonly bucketId: string | null
  readonly at: string
  readonly values: readonly unknown[]
}

export interface View {
  readonly jobId: number
  readonly query: string
  readonly sort: string
  readonly isAscending: boolean
}

export interface Page {
  readonly rows: readonly Row[]
  readonly total: number
  /** What the next page is asked with; null: this is the last one. */
  readonly next: number | null
}

export interface Facet {
  readonly values: readonly { readonly value: string; readonly count: number }[]
  readonly isPartial: boolean
}

/** The view of an address. */
export function viewOf(of: ShownJob, query: Readonly<Record<string, string>>): View {
  return { jobId: of.job_id, query: query.q ?? '', sort: query.sort ?? '', isAscending: query.order === 'asc' }
}

/** The address of a view. */
export function addressOf(view: View): string {
  const query = new URLSearchParams()
  if (view.query !== '') query.set('q', view.query)
  if (view.sort !== '') query.set('sort', view.sort)
  if (view.isAscending) query.set('order', 'asc')
  return addresses.events(view.jobId, query.toString())
}

const SIZE = 100
const FACET_VALUES = 12

export function serviceName(): string {
  return session.value?.service_name ?? 'service'
}

type WireFilter = { field: string; operator: string; value?: string | number | boolean | string[] }

export function wireFilters(query: string): WireFilter[] {
  return filtersOf(query, serviceName()).map(({ field, operator, value }) => ({
    field,
    operator,
    ...(value === undefined ? {} : { value: typeof value === 'object' ? [...value] : value }),
  }))
}

function rowOf(event: QueriedEvent, columns: readonly string[]): Row {
  return {
    id: event.event_id,
    title: titleOf(event),
    label: event.result_label,
    confidence: event.confidence_score,
    status: event.status,
    isOutlier: event.outlier,
    consensus: event.consensus,
    bucketId: event.bucket_id,
    at: event['@timestamp'],
    values: columns.map((column) => event.decision_points[column]),
  }
}

/** A page of the view, of events that came until `untilIso`. */
export async function readPage(
  view: View,
  columns: readonly string[],
  { page, untilIso }: { readonly page: number; readonly untilIso: string },
  signal: AbortSignal,
): Promise<Page> {
  const until = { field: 'timestamp_inference', operator: 'lte', value: untilIso }
  const answer = await api.queryEvents(
    {
      body: {
        job_ids: [view.jobId],
        filters: [...wireFilters(view.query), until],
        sort_order: view.isAscending ? 'asc' : 'desc',
        ...(view.sort === '' ? {} : { sort_by_column: view.sort }),
        size: SIZE,
        page,
        decision_points_only: true,
      },
    },
    { signal },
  )
  const rows = answer.events.map((event) => rowOf(event, columns))
  const isLast = rows.length < SIZE || (page + 1) * SIZE >= answer.total_count
  return { rows, total: answer.total_count, next: isLast ? null : page + 1 }
}

/** A filter in the language of searches. */
function clauseOf({ field, operator, value }: Filter): [isNot: boolean, clause: object] {
  const isNot = operator.includes('not')
  const positive = operator.replace('not ', '').replace(' not', '')
  if (positive === 'exists') return [isNot, { exists: { field } }]
  if (positive === 'is') return [isNot, { term: { [field]: value } }]
  if (positive === 'is one of') return [isNot, { terms: { [field]: value } }]
  if (positive === 'starts with') return [isNot, { prefix: { [field]: value } }]
  if (positive === 'contains') {
    const text = String(value).replace(/[*?\\]/g, '\\$&')
    return [isNot, { wildcard: { [field]: { value: `*${text}*` } } }]
  }
  return [isNot, { range: { [field]: { [positive]: value } } }]
}

/** How often each value of a field is there among what the query finds. */
export async function readFacet(view: View, field: string, signal: AbortSignal): Promise<Facet> {
  const clauses = filtersOf(view.query, serviceName()).map(clauseOf)
  const side = (isNot: boolean): object[] => clauses.filter(([not]) => not === isNot).map(([, clause]) => clause)
  const answer = await api.searchEvents(
    {
      body: {
        job_ids: [view.jobId],
        query_body: {
          size: 0,
          query: { bool: { filter: side(false), must_not: side(true) } },
          aggs: { values: { terms: { field, size: FACET_VALUES } } },
        },
      },
    },
    { signal },
  )
  interface Terms {
    readonly buckets?: readonly { readonly key: unknown; readonly doc_count: number }[]
  }
  const { buckets = [] } = (answer.aggregations?.values ?? {}) as Terms
  return {
    values: buckets.map(({ key, doc_count: found }) => ({ value: String(key), count: found })),
    isPartial: answer.timed_out,
  }
}
