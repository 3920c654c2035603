/** What may be asked of the integrations of pipelines: how they fare, and what they could not deliver. */
import type { IntegrationRole } from '../domain/job/job.js'

/** How a step that takes events out is. */
export interface DeliveryView {
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  readonly role: IntegrationRole
  /**
   * `running`: all is well. `retrying`: it failed and is tried again. `open`: it failed often and is tried ever less. `full`:
   * too much failed for good; nothing new is taken. `invalid`: it cannot be opened as it is set up.
   */
  readonly state: 'running' | 'retrying' | 'open' | 'full' | 'invalid'
  /** Why; '' where all is well. */
  readonly reason: string
  /** Events delivered since the service was started. */
  readonly delivered: number
  /** Events that failed while others got through, and are tried again by themselves. */
  readonly waiting: number
  /** Events that failed for good. */
  readonly dead: number
  readonly lastDeliveredMicros: number | null
  /** Ingest time up to which every event was handled. */
  readonly handledThroughMicros: number
}

/** How a step that brings events in is. */
export interface InputView {
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  /** As of a delivery; `paused` while its job is stopped. */
  readonly state: 'running' | 'retrying' | 'open' | 'invalid' | 'paused'
  /** Why, or the latest document that was no event; '' where all is well. */
  readonly reason: string
  /** Documents taken in since the service was started, and those that were no events. */
  readonly taken: number
  readonly refused: number
  readonly lastTakenMicros: number | null
}

/** How a step that looks things up is. */
export interface EnrichmentView {
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  /** What its fields are called by: `enrichment.<name>.<field>`. */
  readonly name: string
  /** As of a delivery. */
  readonly state: 'running' | 'retrying' | 'open' | 'invalid'
  /** Why; '' where all is well. */
  readonly reason: string
  /** What it knows by itself, such as how many indicators; '' where it asks each time. */
  readonly summary: string
  /** Look-ups since the service was started, by how they ended. */
  readonly found: number
  readonly nothing: number
  readonly failed: number
  readonly late: number
  /** Of them, those that were answered from memory. */
  readonly remembered: number
}

/** A delivery that failed while others got through, or (of the role input, always dead) a document that was no event. */
export interface DeadLetterView {
  readonly id: string
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  readonly role: IntegrationRole
  /** null where the event is gone; of a document the id that its event would have. */
  readonly eventId: string | null
  readonly state: 'waiting' | 'dead'
  readonly attempts: number
  readonly reason: string
  readonly firstFailedMicros: number
  readonly lastFailedMicros: number
  /** null for the dead. */
  readonly nextAttemptMicros: number | null
}

export interface DeadLetterQuery {
  readonly jobId?: number | undefined
  readonly integrationId?: number | undefined
  /** Of one letter. */
  readonly id?: string | undefined
}

export interface DeadLetterPage {
  readonly deadLetters: readonly DeadLetterView[]
  readonly total: number
}

/** All of it rejects with integrations_unavailable for the moment in which the thread of the integrations starts again. */
export interface IntegrationsService {
  deliveries(): Promise<readonly DeliveryView[]>
  inputs(): Promise<readonly InputView[]>
  /** Steps of jobs that are started. */
  enrichments(): Promise<readonly EnrichmentView[]>
  /** Letters by job, integration, role and time of their events; pages count from 0. */
  deadLetters(
    query: DeadLetterQuery & {
      readonly state?: 'waiting' | 'dead' | undefined
      readonly page: number
      readonly size: number
    },
  ): Promise<DeadLetterPage>
  /** Dead letters are tried again; how many. Rejects with letter_not_found where one is named and is not there. */
  sendAgain(query: DeadLetterQuery): Promise<number>
  /** Dead letters are given up for good; how many. Rejects with letter_not_found where one is named and is not there. */
  discard(query: DeadLetterQuery): Promise<number>
}
