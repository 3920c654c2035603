/** A list or facets as plain data: what the list thread gets. */
import type { FacetQuery, ListQuery } from '../../api/live/list-service.js'
import type { QueriedJob } from '../query/query-protocol.js'
import type { TaskFrame } from '../readers/task-frame.js'

export type ListRequest =
  | { readonly kind: 'events'; readonly query: ListQuery }
  | { readonly kind: 'facets'; readonly query: FacetQuery }
  /** Of one job. */
  | { readonly kind: 'refs'; readonly query: ListQuery; readonly analyst: string }
  | { readonly kind: 'ownVotes'; readonly analyst: string; readonly times: readonly number[] }

export interface ListTask extends TaskFrame {
  readonly jobs: readonly QueriedJob[]
  readonly request: ListRequest
}
