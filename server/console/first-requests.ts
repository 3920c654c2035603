/**
 * The request whose answer the first address shows. The page would ask the same; it is asked here so that it is on its
 * way while the program is loaded (first.ts). Nothing large is imported.
 */
import { jobIdOf } from './addresses.js'
import type { Filter } from './pages/events/query.js'

export interface View {
  readonly jobId: number
  readonly query: string
  readonly sort: string
  readonly isAscending: boolean
  /** The decision points that are shown, as the address has them; '': the first ones of the job. */
  readonly columns: string
}

/** The view of an address. */
export function viewOf(jobId: number, query: Readonly<Record<string, string>>): View {
  return {
    jobId,
    query: query.q ?? '',
    sort: query.sort ?? '',
    isAscending: query.order === 'asc',
    columns: query.columns ?? '',
  }
}

/** What the rows of a view depend on: not on its columns. */
export function rowsKey({ jobId, query, sort, isAscending }: View): string {
  return JSON.stringify(['rows', jobId, query, sort, isAscending])
}

export function isNewestFirst({ sort, isAscending }: View): boolean {
  return sort === '' && !isAscending
}

export type WireFilter = { field: string; operator: string; value?: string | number | boolean | string[] }

/** A filter as the API takes it. */
export function wireFilter({ field, operator, value }: Filter): WireFilter {
  const given = value === undefined ? {} : { value: typeof value === 'object' ? [...value] : value }
  return { field, operator, ...given }
}

/** Rows of the first page, which a screen shows, and milliseconds for it: a search shows early what it has found. */
const FIRST = { size: 40, within_ms: 60 } as const

/** The body that asks for the first page of a view. */
export function firstPage(jobId: number, filters: WireFilter[]) {
  return { job_ids: [jobId], filters, ...FIRST }
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

/** What the page of an address asks for first; null: nothing that is known before the session is. */
export function firstRequest({ pathname, search }: Pick<Location, 'pathname' | 'search'>): FirstRequest | null {
  const id = jobIdOf(pathname)
  if (id === null) return null
  if (pathname.startsWith('/jobs/feedback-flow/'))
    return { key: queueKey(id), path: `/api/v2/jobs/${id}/next?count=${QUEUE_SIZE}`, body: null }
  const view = viewOf(id, Object.fromEntries(new URLSearchParams(search)))
  // The reader of queries is part of the program.
  if (!/\/events\/*$/.test(pathname) || !isNewestFirst(view) || view.query !== '') return null
  return { key: rowsKey(view), path: '/api/v2/events/list', body: firstPage(id, []) }
}

/** What first.ts has asked, for the page to find (state/early.ts). */
export interface FirstAnswer {
  readonly key: string
  readonly answer: Promise<unknown>
}
