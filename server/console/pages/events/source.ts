/**
 * Rows of the page of events: page by page, as far as somebody scrolls, and counts of values.
 *
 * 1. A request of an earlier query is cancelled. Its rows never show under the new one.
 * 2. A view never repeats a row: later events are not among its pages.
 */
import { addresses } from '../../addresses.js'
import { api, session } from '../../state/api.js'
import { titleOf, type Titled } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { assignedIds, me } from '../../state/handling.js'
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
  /** Events that match, where the page says so. */
  readonly total: number | null
  readonly isTotalExact: boolean
  /** What the next page is read with; null: this is the last one. */
  readonly next: string | null
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
/** So many events can be read in another order than the newest first. */
const WINDOW = 10_000
const FACET_VALUES = 12

export function serviceName(): string {
  return session.value?.service_name ?? 'service'
}

type WireFilter = { field: string; operator: string; value?: string | number | boolean | string[] }

export type { WireFilter }

/** No event has this id. */
const NO_EVENT = ' '

/** Who has which event is no field of events: the filter becomes the ids. `me` is who reads. */
async function assignedFilter(jobId: number, { operator, value }: Filter, signal: AbortSignal): Promise<WireFilter> {
  const named = typeof value === 'object' ? value : value === undefined ? [] : [String(value)]
  const people = named.map((name) => (name === 'me' ? me() : name))
  const found = await Promise.all(
    people.length === 0
      ? [assignedIds(jobId, null, signal)]
      : people.map((person) => assignedIds(jobId, person, signal)),
  )
  const isNot = operator.includes('not')
  const ids = found.flat()
  return {
    field: `${serviceName()}.event_id`,
    operator: isNot ? 'is not one of' : 'is one of',
    value: ids.length === 0 ? [NO_EVENT] : ids,
  }
}

/** The filters of a view's query, as the API takes them. */
export function wireFilters({ jobId, query }: View, signal: AbortSignal): Promise<WireFilter[]> {
  return Promise.all(
    filtersOf(query, serviceName()).map((filter): WireFilter | Promise<WireFilter> => {
      const { field, operator, value } = filter
      if (field === `${serviceName()}.assigned`) return assignedFilter(jobId, filter, signal)
      const given = value === undefined ? {} : { value: typeof value === 'object' ? [...value] : value }
      return { field, operator, ...given }
    }),
  )
}

interface Listed extends Titled {
  readonly status: string
  readonly result_label: string
  readonly confidence_score: number
  readonly outlier: boolean
  readonly consensus: string | null
  readonly bucket_id: string | null
  readonly '@timestamp': string
}

function rowOf(event: Listed, columns: readonly string[]): Row {
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

type Reader = (view: View, columns: readonly string[], after: string, signal: AbortSignal) => Promise<Page>

/** Newest first, by a cursor: no page repeats a row, however many events come meanwhile. */
const readNewest: Reader = async (view, columns, after, signal) => {
  const answer = await api.listEvents(
    {
      body: {
        job_ids: [view.jobId],
        filters: await wireFilters(view, signal),
        size: SIZE,
        ...(after === '' ? {} : { after }),
      },
    },
    { signal },
  )
  return {
    rows: answer.events.map((event) => rowOf(event, columns)),
    total: null,
    isTotalExact: false,
    next: answer.next,
  }
}

/** How many events the view finds, as far as they are counted. It takes longer than a page. */
export async function readTotal(view: View, signal: AbortSignal): Promise<Pick<Page, 'total' | 'isTotalExact'>> {
  const body = { job_ids: [view.jobId], filters: await wireFilters(view, signal), size: 1, count: true }
  const { total_count: total, total_count_is_exact: isTotalExact } = await api.listEvents({ body }, { signal })
  return { total, isTotalExact }
}

/** In another order, by pages of the events that came until the first of them was read. */
const readSorted: Reader = async (view, columns, after, signal) => {
  const [page = '0', untilIso = new Date().toISOString()] = after === '' ? [] : after.split(' ')
  const until = { field: 'timestamp_inference', operator: 'lte', value: untilIso }
  const answer = await api.queryEvents(
    {
      body: {
        job_ids: [view.jobId],
        filters: [...(await wireFilters(view, signal)), until],
        sort_order: view.isAscending ? 'asc' : 'desc',
        ...(view.sort === '' ? {} : { sort_by_column: view.sort }),
        size: SIZE,
        page: Number(page),
        decision_points_only: true,
      },
    },
    { signal },
  )
  const seen = (Number(page) + 1) * SIZE
  const isLast = answer.events.length < SIZE || seen >= Math.min(answer.total_count, WINDOW)
  return {
    rows: answer.events.map((event) => rowOf(event, columns)),
    total: answer.total_count,
    isTotalExact: true,
    next: isLast ? null : `${Number(page) + 1} ${untilIso}`,
  }
}

/** A page of the view; `after` is `next` of the page before, or ''. */
export const readPage: Reader = (view, columns, after, signal) =>
  (view.sort === '' && !view.isAscending ? readNewest : readSorted)(view, columns, after, signal)

/** How often each value of a field is there among what the query finds. */
export async function readFacet(view: View, field: string, signal: AbortSignal): Promise<Facet> {
  const filters = await wireFilters(view, signal)
  const body = { job_ids: [view.jobId], filters, fields: [field], size: FACET_VALUES }
  const { facets, partial } = await api.countFacets({ body }, { signal })
  const [facet] = facets
  const missing = facet?.missing ?? 0
  return {
    values: [
      ...(facet?.values ?? []).map(({ value, count }) => ({ value: String(value), count })),
      ...(missing === 0 ? [] : [{ value: '', count: missing }]),
    ],
    isPartial: partial,
  }
}
