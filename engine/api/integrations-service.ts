/**
 * The integrations of pipelines as a service: the status of each step, and its dead letters; and webhooks, the requests
 * that senders make in their own form for an integration.
 */
import type { IntegrationRole } from '../domain/job/job.js'
import type { Finding } from '../domain/event/finding.js'
import type { JobHandle, Principal } from './principal.js'

/** What a counterpart says of itself where nothing gets through until somebody changes something. */
export interface HaltView {
  /** Since when it says so; null where it does not. */
  readonly haltedSinceMicros: number | null
  /** When a stopped step tries again by itself; null if it does not. */
  readonly nextTryMicros: number | null
}

/** The status of a step that sends events out. */
export interface DeliveryView extends HaltView {
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  readonly role: IntegrationRole
  /**
   * | state      | meaning                                           |
   * |------------|---------------------------------------------------|
   * | `running`  | deliveries succeed                                |
   * | `retrying` | the last one failed and is retried                |
   * | `open`     | many failed in a row; retries are rare            |
   * | `stopped`  | the counterpart says that nothing will go through |
   * | `full`     | too many dead letters: nothing new is sent        |
   * | `invalid`  | the step cannot be opened with its configuration  |
   */
  readonly state: 'running' | 'retrying' | 'open' | 'stopped' | 'full' | 'invalid'
  /** Why; '' while deliveries succeed. */
  readonly reason: string
  /** Events delivered since the service started. */
  readonly delivered: number
  /** Of these, events that one message told of together with others. */
  readonly summedUp: number
  /** Events that failed while others succeeded, and are retried automatically. */
  readonly waiting: number
  /** Events that failed for good. */
  readonly dead: number
  readonly lastDeliveredMicros: number | null
  /** Ingest time up to which every event was handled, microseconds since 1970. */
  readonly handledThroughMicros: number
}

/** The status of an input step. */
export interface InputView extends HaltView {
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  /** As for a delivery; `paused` while its job is stopped. */
  readonly state: 'running' | 'retrying' | 'open' | 'stopped' | 'invalid' | 'paused'
  /** Why, or the latest refused document; '' for neither. */
  readonly reason: string
  /**
   * Since the service started: documents stored as new events, those that took the place of an earlier event, those
   * that were stored already, and those refused.
   */
  readonly taken: number
  readonly replaced: number
  readonly same: number
  readonly refused: number
  /** When it last brought a document, before a restart, too; null for never. */
  readonly lastTakenMicros: number | null
  /** Since when it has brought nothing: the same, or since it was set up. */
  readonly quietSinceMicros: number
  /** The date of the last document that was read in order; null if that is not known. */
  readonly readThroughMicros: number | null
  /** How far it is behind its counterpart, seconds; null if that is not known. */
  readonly behindSeconds: number | null
}

/** The status of an enrichment step. */
export interface EnrichmentView extends HaltView {
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  /** The name of its fields: `enrichment.<name>.<field>`. */
  readonly name: string
  /** As for a delivery. */
  readonly state: 'running' | 'retrying' | 'open' | 'stopped' | 'invalid'
  /** Why; '' while the step works. */
  readonly reason: string
  /** A sentence about the data that it holds in memory; '' where it asks the counterpart each time. */
  readonly summary: string
  /** Enrichments since the service started, by outcome. */
  readonly found: number
  readonly nothing: number
  readonly failed: number
  readonly late: number
  /** Enrichments that the cache answered; each is also counted by its outcome. */
  readonly remembered: number
}

/** What is wrong with a step, as its job is warned of it. */
export interface StepTrouble {
  /** 0: the notifications of watchdogs. */
  readonly jobId: number
  readonly integrationId: number
  readonly integrationTitle: string
  readonly role: IntegrationRole
  /**
   * | kind      | meaning                                                                     |
   * |-----------|-----------------------------------------------------------------------------|
   * | `stopped` | it tries no more, or rarely, until something is changed                     |
   * | `refused` | it will stop soon, unless the counterpart changes its answer                |
   * | `invalid` | it cannot be opened with its configuration                                  |
   * | `dead`    | events could not be delivered, or documents of an input were no events      |
   */
  readonly kind: 'stopped' | 'refused' | 'invalid' | 'dead'
  readonly reason: string
  readonly sinceMicros: number | null
  readonly nextTryMicros: number | null
  /** Dead letters. */
  readonly count: number
}

/** An event whose delivery failed while others succeeded or, for the role input, a refused document (always dead). */
export interface DeadLetterView {
  readonly id: string
  readonly jobId: number
  readonly jobTitle: string
  readonly integrationId: number
  readonly integrationTitle: string
  readonly role: IntegrationRole
  /** null if the event was deleted; for a document the id that its event would have. */
  readonly eventId: string | null
  readonly state: 'waiting' | 'dead'
  readonly attempts: number
  readonly reason: string
  readonly firstFailedMicros: number
  readonly lastFailedMicros: number
  /** null if dead. */
  readonly nextAttemptMicros: number | null
}

export interface DeadLetterQuery {
  readonly jobId?: number | undefined
  readonly integrationId?: number | undefined
  /** Of one dead letter. */
  readonly id?: string | undefined
}

/** How many dead letters are tried again, and how many stopped steps. */
export interface Retried {
  readonly deadLetters: number
  readonly steps: number
}

export interface DeadLetterPage {
  readonly deadLetters: readonly DeadLetterView[]
  readonly total: number
}

/** Every call rejects with integrations_unavailable while the thread of the integrations restarts. */
export interface IntegrationsService {
  deliveries(): Promise<readonly DeliveryView[]>
  inputs(): Promise<readonly InputView[]>
  /** Enrichment steps of started jobs. */
  enrichments(): Promise<readonly EnrichmentView[]>
  /** Dead letters, ordered by job, integration, role and time of their events. Pages count from 0. */
  deadLetters(
    query: DeadLetterQuery & {
      readonly state?: 'waiting' | 'dead' | undefined
      readonly page: number
      readonly size: number
    },
  ): Promise<DeadLetterPage>
  /**
   * Retries dead letters. Without an id, steps that wait for another try or have stopped try again at once.
   * Rejects with letter_not_found for an unknown id.
   */
  sendAgain(query: DeadLetterQuery): Promise<Retried>
  /** Discards dead letters for good. Resolves with how many; rejects with letter_not_found for an unknown id. */
  discard(query: DeadLetterQuery): Promise<number>
}

/** A request as it came. */
export interface InboundRequest {
  /** The id or the title of an integration. */
  readonly integration: string
  /** The owner of the key in the request; null without a valid one. */
  readonly principal: Principal | null
  /** As it was sent: signatures are of these bytes. */
  readonly body: Uint8Array
  /** Of the body, as `Content-Type` says; '' for UTF-8. */
  readonly charset: string
  /** A header by its name in lower case, or ''. */
  header(name: string): string
}

/** One event of a webhook. */
export interface InboundEventBody {
  /** Null: the service makes one. */
  readonly id: string | null
  /** The body as in a `POST` of the event: `raw_body`, `title`, `severity`. */
  readonly bytes: Uint8Array
  /** The place of the event in the body. */
  readonly place: readonly (string | number)[]
  /** Its format sends an event again under its id when it changes. */
  readonly hasVersions: boolean
}

/** A part of a webhook that is not stored. */
export interface RefusedPart {
  readonly place: readonly (string | number)[]
  readonly message: string
  /** Its beginning, for those who may read events. */
  readonly example: string
}

/** The events of a webhook. */
export interface InboundEvents {
  /** In the order of the sender. */
  readonly events: readonly InboundEventBody[]
  readonly refused: readonly RefusedPart[]
  /** What was odd in the events. */
  readonly findings: readonly Finding[]
}

/** What a webhook brings. */
export interface Inbound extends InboundEvents {
  /** The title of the integration. */
  readonly title: string
  /** Its senders give up after any answer of 4xx, 429 included. */
  readonly givesUp: boolean
  /** Who sent it: the owner of the key, or of the key of the integration where a signature counts instead. */
  readonly principal: Principal
  /** The jobs that the integration is an enabled input of. */
  readonly jobs: readonly JobHandle[]
}

export interface InboundService {
  /**
   * Checks and reads a webhook. Rejects with unauthorized, forbidden, resource_not_found, input_disabled,
   * body_too_large, and with invalid_json or invalid_body if there is nothing in it that can be read.
   */
  read(request: InboundRequest): Promise<Inbound>
  /** The alerts of a webhook of Alertmanager or Grafana. @throws as `read`. */
  alertsIn(body: Uint8Array, charset: string): InboundEvents
}
