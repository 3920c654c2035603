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
  readonly forgetting: Forgetting
}

/**
 * Whether what was erased is gone from the model.
 *
 * `not_needed`: no model was trained while it was stored. `trained`: the model was trained again without it. `pending`:
 * the model in use was trained with it. `failed`: so it is, and it could not be trained again.
 */
export type ForgettingState = 'not_needed' | 'trained' | 'pending' | 'failed'

export interface Forgetting {
  readonly state: ForgettingState
  /** From this model on nothing of it is left; null where there is none yet. */
  readonly goneFromModel: string | null
  /** The same as a sentence. */
  readonly message: string
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
