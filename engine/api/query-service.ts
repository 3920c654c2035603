/** The contract of queries about stored events. */
import type { Principal } from './principal.js'

/** The jobs of a query; all that the principal may see where neither is given. An unknown job is job_not_found. */
export interface JobSelection {
  readonly jobIds?: readonly number[]
  readonly jobTitles?: readonly string[]
}

/** `events/query` (C2.7). */
export interface EventsQuery extends JobSelection {
  readonly eventIds?: readonly string[]
  /** `[{field, operator, value}]` as the client sent it (query/filter.ts). */
  readonly filters?: unknown
  readonly dateField?: string
  /** Dates or date arithmetic, both inclusive. */
  readonly startDate?: unknown
  readonly endDate?: unknown
  readonly size?: number
  /** From 0. */
  readonly page?: number
  /** `next` of the page before, in place of `page`. */
  readonly after?: string
  readonly sortBy?: string
  readonly sortOrder?: 'asc' | 'desc'
  readonly countOnly?: boolean
  readonly decisionPointsOnly?: boolean
  /** Fields that each event has as `columns`, by name. */
  readonly columns?: readonly string[]
}

/** `events/raw_es_query`. */
export interface SearchQuery extends JobSelection {
  /** The body of a search as the client sent it (query/search.ts). */
  readonly queryBody: unknown
  readonly decisionPointsOnly?: boolean
}

/**
 * Answers are JSON text in wire names. The thread that reads the events writes them, so the main thread's work does not
 * grow with the answer. Each method rejects with job_not_found, invalid_body (with places), invalid_cursor,
 * query_too_large, queries_busy, query_timeout, draining. After `gone` is aborted it rejects with an error to be
 * ignored.
 */
export interface QueriesService {
  events(principal: Principal, query: EventsQuery, gone?: AbortSignal): Promise<Uint8Array>
  search(principal: Principal, query: SearchQuery, gone?: AbortSignal): Promise<Uint8Array>
  /** `[{field_name, available_operators, available_in_jobs}]`, from the latest events of the jobs. */
  fields(principal: Principal, jobs: JobSelection, gone?: AbortSignal): Promise<Uint8Array>
  /** The same as `{field: type}`. */
  fieldTypes(principal: Principal, jobs: JobSelection, gone?: AbortSignal): Promise<Uint8Array>
}
