/** The messages between the main thread and the integrations thread: plain data. */
import type {
  DeliveryView,
  EnrichmentView,
  InputView,
  DeadLetterPage,
  DeadLetterQuery,
  Retried,
  StepTrouble,
} from '../../api/integrations-service.js'
import type { Finding } from '../../domain/event/finding.js'
import { NO_JOB, type StepId } from '../../integration/delivery/ledger.js'
import type { Pace } from '../../integration/delivery/pace.js'
import type { PackedBatch } from './document-batch.js'
import type { LoggedEntry } from '../../runtime/log/catalog/catalog-record.js'
import type { ThreadUsage } from '../../runtime/threads/thread-usage.js'
import type { Batch } from '../../api/monitor-service.js'
import type { TakenIn } from '../../integration/delivery/refused-documents.js'

/** What the thread gets when it starts. */
export interface IntegrationThreadData {
  readonly dataDir: string
  /** SERVICE_NAME, and the neutral name. */
  readonly serviceNames: readonly string[]
  /** SERVICE_TIME_ZONE. */
  readonly timeZone: string
  /** SERVICE_PRIVATE_HOSTS. */
  readonly privateHosts: readonly string[]
  readonly pace: Pace
  /** Number of commits of each shard, in shared memory. */
  readonly commits: Int32Array
  /** Whether rows of the ledger are told. */
  readonly tellsLedger: boolean
}

/** The queries and commands for the thread, and its answers. */
export interface IntegrationQueries {
  /** Processor and memory of the thread itself. */
  readonly threadUsage: { readonly given: Record<never, never>; readonly answer: ThreadUsage | null }
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
  readonly sendAgain: { readonly given: DeadLetterQuery; readonly answer: Retried }
  readonly discard: { readonly given: DeadLetterQuery; readonly answer: number }
}

export type IntegrationQuery = keyof IntegrationQueries

export type ToIntegrations =
  /** Integrations or pipelines have changed. */
  | { readonly type: 'rewired' }
  /** Close the steps of one integration and open them again. */
  | { readonly type: 'restart'; readonly integrationId: number }
  /** Events of the job were deleted for good. */
  | { readonly type: 'erased'; readonly jobId: number }
  /** A watchdog has fired or resolved. */
  | { readonly type: 'alerted' }
  | { readonly type: 'ask'; readonly id: number; readonly ask: IntegrationQuery; readonly given: unknown }
  | { readonly type: 'tookIn'; readonly id: number; readonly fared: TakenIn }
  /** Give up work under way, write down the place of every step, and answer `closed`. */
  | { readonly type: 'close' }

export type FromIntegrations =
  /** Documents of an input, which become events of its job. Answered by `tookIn`. */
  | { readonly type: 'takeIn'; readonly id: number; readonly step: StepId; readonly batch: PackedBatch }
  /** Enrichment of events of the job, which are to be decided (actor/enrichment-results.ts). Answered by `tookIn`. */
  | { readonly type: 'enriched'; readonly id: number; readonly jobId: number; readonly body: Uint8Array }
  /** What is wrong with steps, all of it. */
  | { readonly type: 'troubles'; readonly troubles: readonly StepTrouble[] }
  | { readonly type: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly type: 'refused'; readonly id: number; readonly code: string; readonly message: string }
  /** Rows of the ledger that are committed. */
  | { readonly type: 'ledger'; readonly entries: readonly LoggedEntry[] }
  /** Every step of the job has delivered all changes up to this one. */
  | { readonly type: 'passed'; readonly jobId: number; readonly changeMicros: number; readonly eventMicros: number }
  /** A step has sent a request about so many items to its counterpart. `reason` says why it failed, or is null. */
  | {
      readonly type: 'requested'
      readonly step: StepId
      readonly items: number
      readonly seconds: number
      readonly reason: string | null
    }
  | { readonly type: 'failed'; readonly what: string; readonly message: string; readonly stack: string | undefined }
  /** What an input found that people of the job should know. */
  | { readonly type: 'found'; readonly step: StepId; readonly findings: readonly Finding[] }
  | { readonly type: 'closed' }

/** A request to a counterpart, as a batch for operators. */
export function requestBatch({
  step: { jobId, integrationId, role },
  items,
  seconds,
  reason,
}: Extract<FromIntegrations, { type: 'requested' }>): Omit<Batch, 'finishedMicros'> {
  return {
    kind: role === 'enrichment' ? 'look_up' : 'delivery',
    container: `integration/${integrationId}`,
    jobId: jobId === NO_JOB ? null : jobId,
    items,
    seconds,
    error: reason,
  }
}
