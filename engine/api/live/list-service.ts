/** The contract of lists of events and of facets: a page or counts in a bounded time, and where to go on. */
import type { Principal } from '../principal.js'
import type { JobSelection } from '../query-service.js'

/** Which events. */
export interface ListSelection extends JobSelection {
  /** `[{field, operator, value}]` as the client sent it (query/filter.ts). */
  readonly filters?: unknown
  /** Default: `@timestamp`. */
  readonly dateField?: string
  readonly startDate?: unknown
  readonly endDate?: unknown
  /** Milliseconds for the answer, about. */
  readonly withinMs?: number
}

export interface ListQuery extends ListSelection {
  /** The time by which the newest are first. Default: that of arrival. */
  readonly newestBy?: '@timestamp' | 'timestamp_inference'
  readonly size?: number
  /** `next` of the page before. */
  readonly after?: string
  readonly count?: boolean
  readonly rawBody?: boolean
  /** Fields that each event has as `columns`, by name. */
  readonly columns?: readonly string[]
}

export interface FacetQuery extends ListSelection {
  readonly fields: readonly string[]
  /** Values of each field. */
  readonly size?: number
}

/**
 * Answers are JSON text in wire names. Each method rejects with job_not_found, invalid_body, invalid_cursor,
 * query_too_large, queries_busy, query_timeout, draining. After `gone` is aborted the work ends.
 */
export interface ListsService {
  events(principal: Principal, query: ListQuery, gone?: AbortSignal): Promise<Uint8Array>
  facets(principal: Principal, query: FacetQuery, gone?: AbortSignal): Promise<Uint8Array>
}
