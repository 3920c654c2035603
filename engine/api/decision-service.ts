/**
 * What the outside may ask of the engine, and what it gets: the only words that server/ and engine/ share.
 *
 * Owns: views and outcomes, in the engine's own spelling (camelCase, microseconds). Leaves out: wire names and statuses
 * (server/), how it is done (engine.ts).
 *
 * A method throws, or rejects with, Refusal for every ordinary no. Nothing here blocks for longer than one read of the
 * store, except where a promise says so.
 */
import type { Refusal } from '../errors.js'
import type { QueriesService } from './query-service.js'
import type { MetricsService } from './metrics-service.js'
import type { JobCategory, JobStatus, Label } from '../domain/job/job.js'
import type { EraseService } from './erase-service.js'
import type { NotesService, ReprocessService } from './reprocess-service.js'
import type { ClusterService } from './cluster-service.js'
import type { ConsensusService } from './consensus-service.js'
import type { IntegrationsService } from './integrations-service.js'
import type { AuditService } from './audit-service.js'
import type { BackupService, MonitorService } from './monitor-service.js'
import type { TurnTrace } from './turn-trace.js'
import type { IntegrationMetadataService } from './integration-metadata-service.js'
import type { ApplyOutcome, DeletionOutcome, DeletionQuery, ResourceQuery } from './resource-service.js'
import type { TokenService, UserService } from './users-service.js'
import type { Author, JobHandle, Principal } from './principal.js'
import type { BucketState } from '../domain/learn/knowledge-base.js'

export type { IntegrationMetadataService } from './integration-metadata-service.js'
export type * from './resource-service.js'

export type { BucketState } from '../domain/learn/knowledge-base.js'
export type { Role, Scope } from './scopes.js'

export type EventStatus = 'pending_inference' | 'OK' | 'ERROR'

/** An event as GET shows it. */
export interface EventView {
  readonly eventId: string
  readonly jobId: number
  readonly ingestMicros: number
  readonly status: EventStatus
  readonly errorMessage: string | null
  /** Label id, or '' without a decision (S4). */
  readonly result: string
  /** Label name, or ''. */
  readonly resultLabel: string
  readonly bucketState: BucketState
  readonly outlier: boolean
  /** 0 to 100, two decimals (S8). */
  readonly confidenceScore: number
}

/** An event as export shows it: the client's body, and what the service added. */
export interface EventExport {
  readonly view: EventView
  /** The body's fields at top level, and one section of the service's own under the service's name. */
  readonly document: Readonly<Record<string, unknown>>
}

/** Told exactly once how an event fared, never inside the call that handed it in. */
export interface IngestReceiver {
  /** Stored and flushed. `view.status` is OK when it is decided, pending_inference when the job is stopped. */
  ingested(view: EventView): void
  refused(refusal: Refusal): void
  /** The event comes alone, and somebody waits for its answer: it may overtake those that come in streams. Absent: it does not. */
  readonly isAlone?: boolean
  /** Who follows the event on its way, if anybody does. Read once, when it is handed in. */
  readonly trace?: TurnTrace | null
}

/** A vote. */
export interface FeedbackInput {
  readonly analyst: string
  /** A label's name in any case, its id, or an alias `label_n`, `class_n` (C1.9). */
  readonly label: string
  readonly closingNotes?: string
  readonly indicators?: unknown
}

export type RetrainState = 'not_trained' | 'queued' | 'training' | 'RETRAIN_FINISHED' | 'RETRAIN_FAILED'

/** A job as the input operations show it. */
export interface JobView {
  readonly id: number
  readonly title: string
  readonly category: JobCategory
  readonly status: JobStatus
  readonly labels: readonly Label[]
  readonly decisionPoints: readonly string[]
  readonly retrainState: RetrainState
  readonly retrainMsg: string
  /** Events stored. */
  readonly processedDocuments: number
  /** Events that have feedback of their own. */
  readonly feedbackDocuments: number
  /** Microseconds, or null where there is none yet; so with the others. */
  readonly lastProcessedMicros: number | null
  readonly lastFeedbackMicros: number | null
  readonly lastTrainStartMicros: number | null
  readonly lastTrainFinishedMicros: number | null
  /** The kind of data of its External REST API input, or '' without one. */
  readonly dataType: string
  /** Has an enabled External REST API input (CONTRACT.md#jobs). */
  readonly restInput: boolean
  /** Model versions, oldest first; the last installed one is active. */
  readonly modelIds: readonly string[]
  readonly activeModelId: string | null
  /** Whether the stream since its installation bears the active model out; `ageing` lowers confidence. */
  readonly modelState: 'none' | 'current' | 'ageing'
  /** The same for people. */
  readonly modelMsg: string
}

/** The engine, as the server sees it. What changes anything is told who asks (`by`), for the audit log. */
export interface DecisionService {
  /** SERVICE_NAME: the word in identifiers (C1.1). */
  readonly name: string
  /** Threads that decide events. */
  readonly threads: number

  /** Whose key or token it is; null for one that does not exist, is over, or is a disabled user's. */
  authenticate(key: string): Principal | null

  /** @throws Refusal job_not_found, also for a job that the principal must not see (S1). */
  job(principal: Principal, id: number): JobHandle
  /** @throws Refusal job_not_found. */
  jobByTitle(principal: Principal, title: string): JobHandle

  /**
   * Takes an event in. `body` holds `{job_id, raw_body, ...}` as JSON and is copied before the call returns; the engine
   * parses it on the job's thread and answers `invalid_json`, `invalid_body` and the like through `receiver`.
   * `eventId` null: the body's `event_id` field where `idInBody`, else an id of the service's own.
   * @throws Refusal mailbox_full, draining, event_id_too_long, body_too_large, at once and without telling the receiver.
   */
  // Five parameters and not an object: this is called once an event.
  ingest(job: JobHandle, eventId: string | null, idInBody: boolean, body: Uint8Array, receiver: IngestReceiver): void

  /**
   * Takes in `{count, events: [{raw_body, title?, severity?, label?: {cortex_user, feedback, closing_notes?}}]}` whole:
   * all or nothing, events and votes. The answer is the number of events.
   */
  ingestHistoric(job: JobHandle, body: Uint8Array, by: Author): Promise<number>

  /** @throws Refusal event_not_found. */
  event(job: JobHandle, eventId: string): EventView
  /** @throws Refusal event_not_found. */
  exportEvent(job: JobHandle, eventId: string): EventExport
  /** Rejects with unknown_label, event_not_found. Resolves when the vote is flushed. */
  giveFeedback(job: JobHandle, eventId: string, feedback: FeedbackInput, by: Author): Promise<void>

  jobView(job: JobHandle): JobView
  /** Jobs that the principal may see, by id; `restInputOnly` leaves out those without External REST API input. */
  jobViews(principal: Principal, restInputOnly: boolean): JobView[]
  /** Rejects with not_enough_feedback, training_in_progress. Resolves when the training is queued, durably. */
  train(job: JobHandle, username: string | null, by: Author): Promise<void>
  startJob(job: JobHandle, by: Author): Promise<void>
  stopJob(job: JobHandle, by: Author): Promise<void>

  /**
   * Creates or updates a set of resources, all or nothing.
   * `overwrite` false: an existing resource refuses the whole set (resource_exists).
   * Rejects with invalid_resources (issues with places), unresolved_reference, dependency_cycle, resource_exists;
   * forbidden where it would make a key and the caller may not.
   */
  applyResources(document: unknown, overwrite: boolean, by: Author): Promise<ApplyOutcome>
  /** In the shapes that clients read (C3.8), wire names included. */
  listResources(query: ResourceQuery): unknown[]
  /** Rejects with resource_not_found, forbidden, and with resource_in_use unless it is forced. */
  deleteResource(query: DeletionQuery, by: Author): Promise<DeletionOutcome>
  /** What can be set up: kinds of integrations, categories of jobs, their parameters. */
  readonly integrationMetadata: IntegrationMetadataService
  readonly users: UserService
  readonly tokens: TokenService
  /** Who changed what and when. */
  readonly audit: AuditService
  /** How the service is: its state, its log; copies of all that is stored. */
  readonly monitor: MonitorService
  readonly backups: BackupService
  /** What analysts agree on, where they differ, and an administrator's word. */
  readonly consensus: ConsensusService
  readonly clusters: ClusterService

  /** Stored events decided again, one by one or by selection. */
  readonly reprocess: ReprocessService
  /** Stored events deleted for good. */
  readonly erase: EraseService
  /** What agents write down about events. */
  readonly notes: NotesService
  /** How well jobs and models do, and what is stored. */
  readonly metrics: MetricsService

  /** Questions about stored events. */
  readonly queries: QueriesService

  /** How the steps that take events out fare, and what they could not deliver. */
  readonly integrations: IntegrationsService

  /** True while events are taken in; false while draining. */
  readonly accepting: boolean
  /** Refuses new messages, finishes those under way, flushes, stops threads, closes the store. */
  close(): Promise<void>
}
