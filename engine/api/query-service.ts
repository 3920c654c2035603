/** Questions about stored events: what may be asked, in the engine's own spelling. */
import type { Principal } from './principal.js'

/** Which jobs are meant; all that the principal may see where neither is given. Unknown ones are job_not_found. */
export interface JobSelection {
  readonly jobIds?: readonly number[]
  readonly jobTitles?: readonly string[]
}

/** `events/query` (C2.7). */
export interface EventsQuery extends JobSelection {
  readonly eventIds?: readonly string[]
  /** `[{field, operator, value}]` as the client sent it; query/filter.ts says what holds. */
  readonly filters?: unknown
  readonly dateField?: string
  /** Dates or date arithmetic, both included. */
  readonly startDate?: unknown
  readonly endDate?: unknown
  readonly size?: number
  /** From 0. */
  readonly page?: number
  readonly sortBy?: string
  readonly sortOrder?: 'asc' | 'desc'
  readonly countOnly?: boolean
  readonly decisionPointsOnly?: boolean
}

/** `events/raw_es_query`. */
export interface SearchQuery extends JobSelection {
  /** The body of a search as the client sent it; query/search.ts says what is spoken. */
  readonly queryBody: unknown
  readonly decisionPointsOnly?: boolean
}

/**
 * Answers are JSON text, wire names included, written on the thread that found them: nothing here grows with the answer.
 * Each rejects with job_not_found, invalid_body (with places), query_too_large, queries_busy, query_timeout, draining; or,
 * with an error of no meaning, after `gone` was aborted.
 */
export interface QueriesService {
  events(principal: Principal, query: EventsQuery, gone?: AbortSignal): Promise<Uint8Array>
  search(principal: Principal, query: SearchQuery, gone?: AbortSignal): Promise<Uint8Array>
  /** `[{field_name, available_operators, available_in_jobs}]` of what the jobs' latest events hold. */
  fields(principal: Principal, jobs: JobSelection, gone?: AbortSignal): Promise<Uint8Array>
  /** The same as `{field: type}`. */
  fieldTypes(principal: Principal, jobs: JobSelection, gone?: AbortSignal): Promise<Uint8Array>
}
