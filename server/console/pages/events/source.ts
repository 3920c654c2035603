/**
 * Rows of the page of events: page by page, as far as somebody scrolls, and counts of values.
 *
 * 1. A request of an earlier query is cancelled. Its rows never show under the new one.
 * 2. A view never repeats a row: later events are not among its pages.
 */
import type { ListPage } from '../../../client/index.js'
import {
  BY_ARRIVAL,
  columnsBody,
  firstPage,
  isNewestFirst,
  rowsKey,
  selectionBody,
  type View,
} from '../../first-requests.js'
import { api } from '../../state/api.js'
import { serviceNow } from '../../state/clock.js'
import { askEarly, early } from '../../state/early.js'
import { titleOf, type Titled } from '../../state/events.js'
import { afterPaint } from '../../state/paint.js'
import type { Row } from './row.js'

/** How far a search has come: events that were looked at, of how many, and the time of the last of them. */
export interface Progress {
  readonly looked: number
  readonly of: number
  readonly backTo: string | null
}

export interface Page {
  readonly rows: readonly Row[]
  /** Events that match, where the page says so. */
  readonly total: number | null
  readonly isTotalExact: boolean
  /** What the next page is read with; null: this is the last one. */
  readonly next: string | null
  /** What this page looked at; null where nothing is looked for event by event. */
  readonly progress: Progress | null
}

export interface Facet {
  /** A value of null: the field is missing. */
  readonly values: readonly { readonly value: string | null; readonly count: number; readonly isCut: boolean }[]
  readonly isPartial: boolean
}

/** Rows of each page after the first. */
const SIZE = 100
/** Milliseconds for a page after the first, at most. */
const WITHIN_MS = 400
const FACET_VALUES = 12
/**
 * The known time of the service is never ahead of it, and less than this behind: the `Date` of an answer is a whole
 * second, and it is the one in which the service looked at its clock last, which it does once a second.
 */
const BEHIND_MS = 2_000

interface Listed extends Titled {
  readonly status: string
  readonly result_label: string
  readonly confidence_score: number
  readonly outlier: boolean
  readonly consensus: string | null
  readonly bucket_id: string | null
  readonly '@timestamp': string
  readonly ingest_timestamp: string
  readonly columns?: Readonly<Record<string, unknown>> | undefined
}

/** A line shows the time that it is ordered by, if that is one of the two. */
function rowOf(event: Listed, { sort }: View): Row {
  return {
    id: event.event_id,
    title: titleOf(event),
    label: event.result_label,
    confidence: event.confidence_score,
    status: event.status,
    isOutlier: event.outlier,
    consensus: event.consensus,
    bucketId: event.bucket_id,
    at: sort === BY_ARRIVAL ? event.ingest_timestamp : event['@timestamp'],
    values: event.columns ?? event.decision_points,
  }
}

type Reader = (view: View, after: string, signal: AbortSignal) => Promise<Page>

function ask(view: View, after: string, signal: AbortSignal): Promise<ListPage> {
  const first = firstPage(view)
  const body = after === '' ? first : { ...first, size: SIZE, within_ms: WITHIN_MS, after }
  return api.listEvents({ body }, { signal })
}

/** Asks for the first page of a view that is shown next. */
export function askPage(view: View): void {
  if (isNewestFirst(view)) askEarly(rowsKey(view), (signal) => ask(view, '', signal))
}

/** Newest first, by a cursor: no page repeats a row, however many events come meanwhile. */
const readNewest: Reader = async (view, after, signal) => {
  const answer =
    after === '' ? await early(rowsKey(view), signal, (ends) => ask(view, '', ends)) : await ask(view, after, signal)
  return {
    rows: answer.events.map((event) => rowOf(event, view)),
    total: null,
    isTotalExact: false,
    next: answer.next,
    progress: { looked: answer.looked_at, of: answer.job_events, backTo: answer.looked_back_to },
  }
}

/** How many events the view finds, as far as they are counted. It takes longer than a page. */
export async function readTotal(view: View, signal: AbortSignal): Promise<Pick<Page, 'total' | 'isTotalExact'>> {
  const body = { job_ids: [view.jobId], ...selectionBody(view), size: 1, count: true }
  const { total_count: total, total_count_is_exact: isTotalExact } = await api.listEvents({ body }, { signal })
  return { total, isTotalExact }
}

/** In another order, by a cursor, of the events that came until the first page was read. */
const readSorted: Reader = async (view, after, signal) => {
  const [cursor, untilIso = new Date(serviceNow() + BEHIND_MS).toISOString()] = after === '' ? [] : after.split(' ')
  const until = { field: 'timestamp_inference', operator: 'lte', value: untilIso }
  const answer = await api.queryEvents(
    {
      body: {
        job_ids: [view.jobId],
        ...selectionBody(view, [until]),
        sort_order: view.isAscending ? 'asc' : 'desc',
        sort_by_column: view.sort === '' ? '@timestamp' : view.sort,
        size: SIZE,
        ...(cursor === undefined ? {} : { after: cursor }),
        decision_points_only: true,
        ...columnsBody(view),
      },
    },
    { signal },
  )
  const { next = null } = answer
  return {
    rows: answer.events.map((event) => rowOf(event, view)),
    total: answer.total_count,
    isTotalExact: true,
    next: next === null ? null : `${next} ${untilIso}`,
    progress: null,
  }
}

/** The latest page that was asked for. Counts wait for it: the service answers lists one after the other. */
let latest: Promise<unknown> = Promise.resolve()

/** A page of the view; `after` is `next` of the page before, or ''. */
export const readPage: Reader = (view, after, signal) => {
  const page = (isNewestFirst(view) ? readNewest : readSorted)(view, after, signal)
  latest = page.catch(() => {})
  return page
}

/** How often each value of a field is there among what the query finds. */
export async function readFacet(view: View, field: string, signal: AbortSignal): Promise<Facet> {
  // Facets are below the page that asks for rows, so their effects run first.
  await new Promise((resolve) => setTimeout(resolve))
  await latest
  await afterPaint()
  signal.throwIfAborted()
  const body = { job_ids: [view.jobId], ...selectionBody(view), fields: [field], size: FACET_VALUES }
  const { facets, partial } = await api.countFacets({ body }, { signal })
  const [facet] = facets
  const missing = facet?.missing ?? 0
  return {
    values: [
      ...(facet?.values ?? []).map(({ value, count, is_cut: isCut = false }) => ({
        value: String(value),
        count,
        isCut,
      })),
      ...(missing === 0 ? [] : [{ value: null, count: missing, isCut: false }]),
    ],
    isPartial: partial,
  }
}
