/** What the main thread and the thread of the integrations say to each other. Plain data. */
import type {
  DeliveryView,
  EnrichmentView,
  InputView,
  DeadLetterPage,
  DeadLetterQuery,
} from '../../api/integrations-service.js'
import { NO_JOB, type StepId } from '../../integration/delivery/ledger.js'
import type { Pace } from '../../integration/delivery/pace.js'
import type { PackedPiece } from './document-batch.js'
import type { ThreadUsage } from '../../runtime/threads/thread-usage.js'
import type { Batch } from '../../api/monitor-service.js'
import type { TakenIn } from '../../integration/delivery/refused-documents.js'

/** What the thread is told when it starts. */
export interface IntegrationThreadData {
  readonly dataDir: string
  /** SERVICE_NAME, and the neutral name. */
  readonly serviceNames: readonly string[]
  /** SERVICE_PRIVATE_HOSTS. */
  readonly privateHosts: readonly string[]
  readonly pace: Pace
  /** How often each shard has committed: shared memory. */
  readonly commits: Int32Array
}

/** What may be asked of the thread, and what it answers. */
export interface IntegrationQueries {
  /** How the thread itself is. */
  readonly look: { readonly given: Record<never, never>; readonly answer: ThreadUsage | null }
  readonly deliveries: { readonly given: Record<never, never>; readonly answer: readonly DeliveryView[] }
  readonly inputs: { readonly given: Record<never, never>; readonly answer: readonly InputView[] }
  readonly enrichments: { readonly given: Record<never, never>; readonly answer: readonly EnrichmentView[] }
  readonly deadLetters: {
    readonly given: DeadLetterQuery & {
      readonly state?: 'waiting' | 'dead' | undefined
      readonly page: number
      readonly size: number
    }
    readonly answer: DeadLetterPage
  }
  readonly sendAgain: { readonly given: DeadLetterQuery; readonly answer: number }
  readonly discard: { readonly given: DeadLetterQuery; readonly answer: number }
}

export type IntegrationQuery = keyof IntegrationQueries

export type ToIntegrations =
  /** Integrations or pipelines have changed. */
  | { readonly type: 'rewired' }
  /** The steps of one integration begin anew. */
  | { readonly type: 'restart'; readonly integrationId: number }
  /** Events of the job were deleted for good. */
  | { readonly type: 'erased'; readonly jobId: number }
  /** A watchdog has fired or resolved. */
  | { readonly type: 'alerted' }
  | { readonly type: 'ask'; readonly id: number; readonly ask: IntegrationQuery; readonly given: unknown }
  | { readonly type: 'tookIn'; readonly id: number; readonly fared: TakenIn }
  /** Give up what is under way, write down where everything is, and say so. */
  | { readonly type: 'close' }

export type FromIntegrations =
  /** Documents of an input that are to become events of its job. */
  | { readonly type: 'takeIn'; readonly id: number; readonly step: StepId; readonly piece: PackedPiece }
  /** What was looked up about events of the job (enrichment-results.ts), which are to be decided; answered by `tookIn`. */
  | { readonly type: 'enriched'; readonly id: number; readonly jobId: number; readonly order: Uint8Array }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'refused'; readonly id: number; readonly code: string; readonly message: string }
  /** Every step of the job has told all changes up to this one. */
  | { readonly type: 'passed'; readonly jobId: number; readonly changeMicros: number; readonly eventMicros: number }
  /** A step has asked its counterpart to take so many, or what it knows of so many. */
  | {
      readonly type: 'asked'
      readonly step: StepId
      readonly items: number
      readonly seconds: number
      readonly reason: string | null
    }
  | { readonly type: 'failed'; readonly what: string; readonly message: string; readonly stack: string | undefined }
  | { readonly type: 'closed' }

/** What was asked of a counterpart, among the batches that operators see. */
export function contactBatch({
  step: { jobId, integrationId, role },
  items,
  seconds,
  reason,
}: Extract<FromIntegrations, { type: 'asked' }>): Omit<Batch, 'finishedMicros'> {
  return {
    kind: role === 'enrichment' ? 'look_up' : 'delivery',
    container: `integration/${integrationId}`,
    jobId: jobId === NO_JOB ? null : jobId,
    items,
    seconds,
    error: reason,
  }
}
