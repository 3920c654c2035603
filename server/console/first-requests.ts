/**
 * The request whose answer the first address shows. The page would ask the same; it is asked here so that it is on its
 * way while the program is loaded (first.ts). Nothing large is imported.
 */
import { jobIdOf } from './addresses.js'

export interface View {
  readonly jobId: number
  readonly query: string
  readonly sort: string
  readonly isAscending: boolean
  /** When the events were: `8h`, `from~to`, or '' for all. */
  readonly time: string
  /** The fields that are shown, as the address has them; '': the first decision points of the job. */
  readonly columns: string
}

/** The view of an address. */
export function viewOf(jobId: number, query: Readonly<Record<string, string>>): View {
  return {
    jobId,
    query: query.q ?? '',
    sort: query.sort ?? '',
    isAscending: query.order === 'asc',
    time: query.time ?? '',
    columns: query.columns ?? '',
  }
}

/** What the rows of a view depend on. */
export function rowsKey(view: View): string {
  return JSON.stringify([listKey(view), view.columns])
}

/** Which rows a view has, and in which order, whatever is shown of them. */
export function listKey({ jobId, query, sort, isAscending, time }: View): string {
  return JSON.stringify(['rows', jobId, query, sort, isAscending, time])
}

/** More columns do not fit on a line. */
export const COLUMNS_MAX = 6

/** The fields that the address of a view names; null: it names none. `-` is no field. */
export function chosenColumns({ columns }: View): readonly string[] | null {
  if (columns === '') return null
  const names = columns.split(',').map(decoded)
  return [...new Set(names)].filter((name) => name !== '' && name !== '-').slice(0, COLUMNS_MAX)
}

/** An address may have been cut or changed on its way. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The order by arrival; '' is that by the time of the events, which their lines show. */
export const BY_ARRIVAL = 'timestamp_inference'

export function isNewestFirst({ sort, isAscending }: View): boolean {
  return (sort === '' || sort === BY_ARRIVAL) && !isAscending
}

const MOVING = /^\d{1,4}[mhd]$/
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/

/** The ends of a fixed range, '' for one that is open; null: the range moves, or is none. */
export function fixedRange(time: string): readonly [string, string] | null {
  const ends = time.split('~')
  const [from = '', to = ''] = ends
  const isRange = ends.length === 2 && time !== '~' && ends.every((end) => end === '' || INSTANT.test(end))
  return isRange ? [from, to] : null
}

/** The filters of a view's range of time. A range that moves ends now, by the service's clock. */
export function timeFilters({ time }: Pick<View, 'time'>): WireFilter[] {
  const [from, to] = MOVING.test(time) ? [`now-${time}`, 'now'] : (fixedRange(time) ?? ['', ''])
  const end = (operator: string, value: string): WireFilter[] =>
    value === '' ? [] : [{ field: '@timestamp', operator, value }]
  return [...end('gte', from), ...end('lte', to)]
}

/** What a request for rows has besides which of them. */
export function columnsBody(view: View): { columns?: string[] } {
  const columns = chosenColumns(view)
  return columns === null ? {} : { columns: [...columns] }
}

export type WireFilter = { field: string; operator: string; value: string | string[] }

/** The events of a view, in a request: its query, and its range of time before further filters. */
export function selectionBody(
  view: View,
  more: readonly WireFilter[] = [],
): { query?: string; filters?: WireFilter[] } {
  const filters = [...timeFilters(view), ...more]
  return {
    ...(view.query === '' ? {} : { query: view.query }),
    ...(filters.length === 0 ? {} : { filters }),
  }
}

/** Rows of the first page, which a screen shows, and milliseconds for it: a search shows early what it has found. */
const FIRST = { size: 40, within_ms: 60 } as const

interface FirstPage {
  job_ids: number[]
  query?: string
  filters?: WireFilter[]
  columns?: string[]
  newest_by: '@timestamp' | typeof BY_ARRIVAL
  size: number
  within_ms: number
}

/** The body that asks for the first page of a view. */
export function firstPage(view: View): FirstPage {
  const page = { job_ids: [view.jobId], ...selectionBody(view), ...columnsBody(view), ...FIRST }
  if (view.sort === BY_ARRIVAL) return { ...page, newest_by: BY_ARRIVAL }
  // After a start the times of all events are read once, which takes fewer requests with more time for each.
  return { ...page, newest_by: '@timestamp', within_ms: 300 }
}

/** Events in the queue of Next. */
export const QUEUE_SIZE = 50

export function queueKey(jobId: number): string {
  return `next ${jobId}`
}

export interface FirstRequest {
  readonly key: string
  readonly path: string
  /** Null for a `GET`. */
  readonly body: unknown
}

/** As `location` has it. */
interface PageAddress {
  readonly pathname: string
  readonly search: string
}

/** What the page of an address asks for first; null: nothing that is known before the session is. */
export function firstRequest({ pathname, search }: PageAddress): FirstRequest | null {
  const id = jobIdOf(pathname)
  if (id === null) return null
  if (pathname.startsWith('/jobs/feedback-flow/'))
    return { key: queueKey(id), path: `/api/v2/jobs/${id}/next?count=${QUEUE_SIZE}`, body: null }
  const view = viewOf(id, Object.fromEntries(new URLSearchParams(search)))
  if (!/\/events\/*$/.test(pathname) || !isNewestFirst(view)) return null
  return { key: rowsKey(view), path: '/api/v2/events/list', body: firstPage(view) }
}

/** What first.ts has asked, for the page to find (state/early.ts). */
export interface FirstAnswer {
  readonly key: string
  readonly answer: Promise<unknown>
}
