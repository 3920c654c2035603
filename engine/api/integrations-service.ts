/** The contract of integrations in pipelines: their state, and what they could not deliver. */
import type { IntegrationRole } from '../domain/job/job.js'

/** The state of a step that delivers events. */
export interface DeliveryView {
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  readonly role: IntegrationRole
  /**
   * - `running`: it works.
   * - `retrying`: it failed and is retried.
   * - `open`: it failed often and is retried less and less often.
   * - `full`: too many events failed for good. It takes no new ones.
   * - `invalid`: its settings do not work.
   */
  readonly state: 'running' | 'retrying' | 'open' | 'full' | 'invalid'
  /** Why; '' while it works. */
  readonly reason: string
  /** Events delivered since the service was started. */
  readonly delivered: number
  /** Events that failed while others were delivered, and that will be retried. */
  readonly waiting: number
  /** Events that failed for good. */
  readonly dead: number
  readonly lastDeliveredMicros: number | null
  /** Every event up to this ingest time was handled. */
  readonly handledThroughMicros: number
}

/** The state of a step that brings in events. */
export interface InputView {
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  /** As for a delivery; `paused` while its job is stopped. */
  readonly state: 'running' | 'retrying' | 'open' | 'invalid' | 'paused'
  /** Why, or what was wrong with the latest refused document; '' while it works. */
  readonly reason: string
  /** Documents taken in and documents refused since the service was started. */
  readonly taken: number
  readonly refused: number
  readonly lastTakenMicros: number | null
}

/** The state of a step that enriches events. */
export interface EnrichmentView {
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  /** The name in its fields: `enrichment.<name>.<field>`. */
  readonly name: string
  /** As for a delivery. */
  readonly state: 'running' | 'retrying' | 'open' | 'invalid'
  /** Why; '' while it works. */
  readonly reason: string
  /** What it holds in memory, such as a number of indicators; '' where it asks its source each time. */
  readonly summary: string
  /** Enrichments since the service was started, by result. */
  readonly found: number
  readonly nothing: number
  readonly failed: number
  readonly late: number
  /** Those of them that were answered from memory. */
  readonly remembered: number
}

/** A delivery that failed while others succeeded, or a refused document (of the role input, and always dead). */
export interface DeadLetterView {
  readonly id: string
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  readonly role: IntegrationRole
  /** Null where the event is gone; for a document, the id that its event would have. */
  readonly eventId: string | null
  readonly state: 'waiting' | 'dead'
  readonly attempts: number
  readonly reason: string
  readonly firstFailedMicros: number
  readonly lastFailedMicros: number
  /** Null for dead ones. */
  readonly nextAttemptMicros: number | null
}

export interface DeadLetterQuery {
  readonly jobId?: number | undefined
  readonly integrationId?: number | undefined
  /** The id of one dead letter. */
  readonly id?: string | undefined
}

export interface DeadLetterPage {
  readonly deadLetters: readonly DeadLetterView[]
  readonly total: number
}

/** All methods reject with integrations_unavailable while the integrations' thread restarts. */
export interface IntegrationsService {
  deliveries(): Promise<readonly DeliveryView[]>
  inputs(): Promise<readonly InputView[]>
  /** Steps of jobs that are started. */
  enrichments(): Promise<readonly EnrichmentView[]>
  /** Dead letters by job, integration, role and time of their events; pages count from 0. */
  deadLetters(
    query: DeadLetterQuery & {
      readonly state?: 'waiting' | 'dead' | undefined
      readonly page: number
      readonly size: number
    },
  ): Promise<DeadLetterPage>
  /** Retries dead letters and returns their number. Rejects with letter_not_found for an unknown id. */
  sendAgain(query: DeadLetterQuery): Promise<number>
  /** Deletes dead letters for good and returns their number. Rejects with letter_not_found for an unknown id. */
  discard(query: DeadLetterQuery): Promise<number>
}
