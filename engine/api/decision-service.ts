/**
 * The contract of the engine with the server.
 *
 * Owns: operations, views and outcomes, in camelCase and microseconds. Leaves out: wire names and statuses (server/),
 * the implementation (engine.ts).
 *
 * A method throws a Refusal, or rejects with one, when it refuses. A method that returns no promise takes no longer
 * than one read of the store.
 */
import type { EvidenceLevel } from '../domain/metrics/evidence.js'
import type { Autonomy } from '../domain/autonomy/passage.js'
import type { Refusal } from '../errors.js'
import type { JobCategory, JobStatus, Label } from '../domain/job/job.js'
import type { BucketState } from '../domain/learn/knowledge-base.js'
import type { AuditService } from './audit-service.js'
import type { AutonomyService } from './autonomy-service.js'
import type { ModelsService } from './models/models-service.js'
import type { ClusterService } from './cluster-service.js'
import type { ConsensusService } from './consensus-service.js'
import type { EventAnswer, Stored } from './event-answer.js'
import type { EraseService } from './erase-service.js'
import type { ExplanationService } from './explanation-service.js'
import type { IntegrationMetadataService } from './integration-metadata-service.js'
import type { InboundService, IntegrationsService } from './integrations-service.js'
import type { NextService } from './next-service.js'
import type { MetricsService } from './metrics-service.js'
import type { BackupService, MonitorService } from './monitor-service.js'
import type { Author, JobHandle, Principal, ScopedAuthor } from './principal.js'
import type { QueriesService } from './query-service.js'
import type { ReplayService } from './models/replay-service.js'
import type { NotesService, ReprocessService } from './reprocess-service.js'
import type { ApplyOutcome, DeletionOutcome, DeletionQuery, ResourceQuery } from './resource-service.js'
import type { FeedbackInput, VoteEffect } from './vote-effect.js'
import type { LiveServices } from './live/live-services.js'
import type { TurnTrace } from './turn-trace.js'
import type { TokenService, UserService } from './users-service.js'
import type { Finding } from '../domain/event/finding.js'
import type { Warning } from './warning.js'

export type * from './vote-effect.js'
export type { IntegrationMetadataService } from './integration-metadata-service.js'
export type * from './resource-service.js'
export type * from './warning.js'
export type { BucketState } from '../domain/learn/knowledge-base.js'
export type { Role, Scope } from './scopes.js'

export type EventStatus = 'pending_inference' | 'OK' | 'ERROR'

/** An event with its decision, as GET shows it. */
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
  /** What a safety contract made of it; `none` without one. Only administrators are shown an audit. */
  readonly autonomy: Autonomy
}

/** An event as export shows it: the client's body and what the service added. */
export interface EventExport {
  readonly view: EventView
  /** The fields of the body, and one section of the service under its name. */
  readonly document: Readonly<Record<string, unknown>>
}

/** Receives the result of one event: exactly one call, never before ingest() has returned. */
export interface IngestReceiver {
  /**
   * The event is stored and flushed. `view.status`: OK when decided, pending_inference while the job is stopped.
   * `stored`: what became of it.
   */
  ingested(view: EventView, stored: Stored): void
  /**
   * Called instead of `ingested` where it is there: the answer as it is, for a receiver that passes it to another
   * thread. `eventId` null: the id is made of the answer's time (`eventIdOf`).
   */
  answered?(answer: EventAnswer, eventId: string | null): void
  refused(refusal: Refusal): void
  /** True: a single event whose client waits for the answer. It may overtake events of streams. */
  readonly isAlone?: boolean
  /** Who sent the event, and in which request (originOf). Read once, in ingest(). */
  readonly origin?: Uint8Array | undefined
  /** The trace of the event, if there is one. Read once, in ingest(). */
  readonly trace?: TurnTrace | null
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
  /** Number of stored events. */
  readonly processedDocuments: number
  /** Events that analysts have voted on directly. */
  readonly feedbackDocuments: number
  /** Microseconds, or null where there was none yet. The same holds for the next three. */
  readonly lastProcessedMicros: number | null
  readonly lastFeedbackMicros: number | null
  readonly lastTrainStartMicros: number | null
  readonly lastTrainFinishedMicros: number | null
  /** What will probably not do what people want of the job; places are in its properties. */
  readonly warnings: readonly Warning[]
  /** The data type of its External REST API input, or '' without one. */
  readonly dataType: string
  /** True where it has an enabled External REST API input (CONTRACT.md#jobs). */
  readonly restInput: boolean
  /** Model versions, oldest first; the latest installed one is active. */
  readonly modelIds: readonly string[]
  readonly activeModelId: string | null
  /** `ageing`: events since its installation no longer fit the active model, which lowers confidence. */
  readonly modelState: 'none' | 'current' | 'ageing'
  /** The same as a sentence. */
  readonly modelMsg: string
  /** Since when the model is ageing, microseconds; null for any other state. */
  readonly modelAgeingSinceMicros: number | null
  /** The zone of its schedules and messages. */
  readonly timeZone: string
  /** When the next scheduled training is due, microseconds; null where there is none. */
  readonly nextTrainingMicros: number | null
  /** Stored events that have no decision and wait for none. */
  readonly undecidedEvents: number
  readonly evidence: JobEvidence
}

/** How far the votes of a job carry the confidence of its model (metrics/evidence.ts). Counts are by label. */
export interface JobEvidence {
  /** `thin`: a confidence is a guess. `enough`: it was measured. `none`: there is no model. */
  readonly level: EvidenceLevel
  /** Voted events now. */
  readonly votedEvents: ReadonlyMap<string, number>
  /** Votes that were held out from the training of the model in use. */
  readonly heldOutVotes: ReadonlyMap<string, number>
  /** So many of each label make it `enough`. */
  readonly heldOutVotesNeeded: number
  readonly labelsWithoutVotes: readonly string[]
  /** The model in use never answers with these. */
  readonly labelsUnknownToModel: readonly string[]
  /** The same for people; '' where there is nothing to say. */
  readonly message: string
}

/**
 * The engine, as the server sees it. Each operation that changes something takes its author (`by`), for the audit log.
 */
export interface HistoricOptions {
  /** The number of the upload that a request is part of; 0: of none. */
  readonly upload?: number
  /** Aborted when the sender goes away without an answer. */
  readonly gone?: AbortSignal
}

export interface DecisionService {
  /** SERVICE_NAME: the name in identifiers (C1.1). */
  readonly name: string
  /** Threads that decide events. */
  readonly threads: number

  /** The owner of a key or token; null where it is unknown or expired, or its user is disabled. */
  authenticate(key: string): Principal | null

  /** @throws Refusal job_not_found, also for a job that the principal must not see (S1). */
  job(principal: Principal, id: number): JobHandle
  /** The job that the principal posts events to. @throws Refusal job_not_found, input_disabled. */
  jobForPosts(principal: Principal, id: number): JobHandle
  /** @throws Refusal job_not_found. */
  jobByTitle(principal: Principal, title: string): JobHandle

  /**
   * Takes an event in. `body` is the JSON of `{job_id, raw_body, ...}` and is copied before the call returns. The job's
   * thread parses it: refusals such as `invalid_json` and `invalid_body` reach the receiver. Without an
   * `eventId`, the service uses the field `event_id` of the body if `idInBody`, or makes an id.
   *
   * @throws Refusal mailbox_full, draining, event_id_too_long, body_too_large; the receiver is not called then.
   */
  // Five parameters instead of an object, because this is called for every event.
  ingest(job: JobHandle, eventId: string | null, idInBody: boolean, body: Uint8Array, receiver: IngestReceiver): void

  /**
   * Takes in `{count, events: [{raw_body, title?, severity?, label?: {cortex_user, feedback, closing_notes?}}]}`: all
   * events and votes, or none. Resolves to the number of events. The same request again is recognised where its sender
   * has gone without an answer, or the process had ended.
   */
  ingestHistoric(job: JobHandle, body: Uint8Array, by: Author, how?: HistoricOptions): Promise<number>

  /**
   * Counts what was odd in events on their way in, as warnings of the job. Nobody waits for it: where the mailbox is
   * full it is not counted.
   */
  noteFindings(job: JobHandle, findings: readonly Finding[]): void

  /** The same, and resolves when they are on disk. @throws Refusal mailbox_full, draining. */
  keepFindings(job: JobHandle, findings: readonly Finding[]): Promise<void>

  /** @throws Refusal event_not_found. */
  event(job: JobHandle, eventId: string): EventView
  /**
   * The export as JSON text in wire names. A large one is made on another thread, and given up if `gone` is aborted.
   * @throws Refusal event_not_found; rejects with it, and with queries_busy, query_timeout.
   */
  exportEvent(job: JobHandle, eventId: string, gone: AbortSignal): string | Promise<Uint8Array>
  /** Rejects with unknown_label, event_not_found, vote_not_found. Resolves when the vote is flushed. */
  giveFeedback(job: JobHandle, eventId: string, feedback: FeedbackInput, by: Author): Promise<VoteEffect>

  jobView(job: JobHandle): JobView
  /** Jobs that the principal may see, sorted by id; with `restInputOnly` only those with an External REST API input. */
  jobViews(principal: Principal, restInputOnly: boolean): JobView[]
  /** Rejects with not_enough_feedback, training_in_progress. Resolves when the training is durably queued. */
  train(job: JobHandle, username: string | null, by: Author): Promise<void>
  startJob(job: JobHandle, by: Author): Promise<void>
  stopJob(job: JobHandle, by: Author): Promise<void>

  /**
   * Creates or updates a set of resources, all or nothing.
   * Without `overwrite` an existing resource refuses the whole set (resource_exists).
   * Rejects with invalid_resources (issues with places), unresolved_reference, dependency_cycle, resource_exists, and
   * forbidden: creating an api key needs the scope write:api_keys.
   */
  applyResources(document: unknown, overwrite: boolean, by: ScopedAuthor): Promise<ApplyOutcome>
  /** In the form that clients read (C3.8), with wire names. */
  listResources(query: ResourceQuery): unknown[]
  /** Rejects with resource_not_found, forbidden, and, unless it is forced, resource_in_use. */
  deleteResource(query: DeletionQuery, by: ScopedAuthor): Promise<DeletionOutcome>
  /** Describes what can be set up: kinds of integrations, categories of jobs, their parameters. */
  readonly integrationMetadata: IntegrationMetadataService
  readonly users: UserService
  readonly live: LiveServices
  readonly tokens: TokenService
  /** Who changed what, and when. */
  readonly audit: AuditService
  readonly monitor: MonitorService
  readonly backups: BackupService
  readonly consensus: ConsensusService
  readonly autonomy: AutonomyService
  readonly models: ModelsService
  readonly nextLabels: NextService
  readonly replays: ReplayService
  readonly clusters: ClusterService

  readonly reprocess: ReprocessService
  readonly erase: EraseService
  readonly notes: NotesService
  readonly metrics: MetricsService
  readonly queries: QueriesService
  readonly explanations: ExplanationService
  readonly integrations: IntegrationsService
  readonly inbound: InboundService

  /** True while events are accepted; false while draining. */
  readonly accepting: boolean
  /** Refuses new messages, finishes those under way, flushes, stops the threads, closes the store. */
  close(): Promise<void>
}
