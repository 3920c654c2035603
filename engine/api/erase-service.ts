/** The contract of erasing: deleting stored events for good. */
import type { ReprocessRequest } from './reprocess-service.js'
import type { Author, JobHandle } from './principal.js'

export interface EraseOutcome {
  /** Events that were deleted. */
  readonly events: number
  /** Votes that were deleted with them. */
  readonly votes: number
  /** True where the active model was trained while they were stored. */
  readonly retrainNeeded: boolean
}

export interface EraseService {
  /**
   * Deletes the selected events that arrived before the request: their records, ids, notes, votes and counts, and the
   * buckets that become empty. Resolves when all are gone. The same request continues an interrupted one.
   * Rejects with invalid_body (also for a request that selects everything), limit_exceeded, queries_busy, store_full,
   * store_failed.
   */
  events(job: JobHandle, request: ReprocessRequest, by: Author): Promise<EraseOutcome>
}
