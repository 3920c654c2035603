/** The contract of what reads a shard's committed state on the main thread. */
import type { JobSettings } from '../domain/job/job.js'
import type { EventView } from '../api/decision-service.js'
import type { AppliedLog } from '../actor/log/log-position.js'

/** What the shards need of the reader of a shard's committed state. */
export interface ShardReader {
  /** The shard has committed a turn: later reads see it. */
  refresh(): void
  /** @throws Refusal event_not_found. */
  event(job: JobSettings, eventId: string): EventView
  /** As in event-table.ts. */
  hasIdsAhead(jobId: number, micros: number): boolean
  sizeBytes(): number
  /** As in log-position.ts. */
  appliedLog(): AppliedLog
  /** Releases the memory that reads have mapped. Called while nothing is committed. */
  unmap(): void
  close(): Promise<void>
}
