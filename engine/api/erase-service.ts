/** What the outside may ask about deleting stored events for good. */
import type { ReprocessRequest } from './reprocess-service.js'
import type { Author, JobHandle } from './principal.js'

export interface EraseOutcome {
  /** Events that were deleted. */
  readonly events: number
  /** Votes that went with them. */
  readonly votes: number
  /** The active model was trained when they were there. */
  readonly retrainNeeded: boolean
}

export interface EraseService {
  /**
   * Deletes the events that came in before the request and that dates and filters name: records, ids, notes, votes that were
   * given on them, buckets that they leave empty, what they count for. Resolves when all are gone; asked again after it was
   * cut off, it goes on.
   * Rejects with invalid_body (nothing that narrows it down, too), limit_exceeded, queries_busy, store_full, store_failed.
   */
  events(job: JobHandle, request: ReprocessRequest, by: Author): Promise<EraseOutcome>
}
