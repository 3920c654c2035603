/** A query about stored events as plain data: what a reader thread gets, and what it returns. */
import type { JobSettings } from '../../domain/job/job.js'
import type { EventsQuery, SearchQuery } from '../../api/query-service.js'
import type { RefusedTask, TaskFrame } from '../readers/task-frame.js'

/** What a query knows of a job. Of its advanced settings: `strict_types`. */
export type QueriedJob = Pick<
  JobSettings,
  'id' | 'shard' | 'title' | 'labels' | 'decisionPoints' | 'category' | 'pipeline' | 'advancedSettings'
>

export type EventQuery =
  | { readonly kind: 'events'; readonly query: EventsQuery }
  | { readonly kind: 'search'; readonly query: SearchQuery }
  | { readonly kind: 'fields' }
  | { readonly kind: 'fieldTypes' }

export interface QueryTask extends TaskFrame {
  readonly jobs: readonly QueriedJob[]
  readonly query: EventQuery
}

export type QueryResult = { readonly json: Uint8Array } | RefusedTask
