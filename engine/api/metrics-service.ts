/**
 * The contract of metrics.
 *
 * Times in answers are ISO 8601 UTC. Maps have people's names or ids as keys; all other keys are fixed. Figures are
 * defined where they are computed: confusion.ts, quality.ts, prequential.ts,
 * agreement-with-votes.ts, event-tally.ts, confidence.ts, point-usefulness.ts, input-profile.ts,
 * feedback-tally.ts, period.ts.
 */
import type { AgreementWithVotes } from '../domain/metrics/agreement-with-votes.js'
import type { PrequentialReport } from '../domain/metrics/prequential.js'
import type { OverallQuality, QualityReport } from '../domain/metrics/quality.js'
import type { JobHandle, Principal } from './principal.js'

/** Which events are counted. */
export interface MetricsScope {
  /** ISO 8601, UTC unless a zone is given. Default: the job's production date, else its first event. */
  readonly startDatetime?: string
  /** Excluded. Default: now. */
  readonly endDatetime?: string
  /** `[{field, operator, value}]` as the client sent it. */
  readonly filters?: unknown
}

export interface ChangedConsensus {
  readonly totalEvents: number
  /** Up to ten: the latest event of each of the largest buckets; the latest events where there are no buckets. */
  readonly topEventsIds: readonly string[]
  readonly topBucketsIds: readonly string[]
}

/**
 * The fields of OverallQuality are those of the specification: the prequential quality in new buckets while enough
 * events are scored (S26), else what `basis` says (S41).
 */
export interface JobMetrics extends OverallQuality {
  readonly quality: PrequentialReport
  readonly agreementWithVotes: AgreementWithVotes
  readonly startTime: string
  readonly endTime: string
  readonly timeSavedMinutes: number
  readonly activeModelId: string | null
  readonly allModelIds: readonly string[]
  readonly totalEvents: number
  readonly totalEventsInKnowledgeBase: number
  readonly totalEventsWithConsensus: number
  readonly changedConsensusAfterTraining: ChangedConsensus
  readonly productionDate: string | null
}

/** The state of a recomputation. */
export type RecomputeState = 'queued' | 'in_progress' | 'completed' | 'failed'

/**
 * `quality` is null until it is first computed. The fields of OverallQuality are those of the specification: first
 * answers of the model in new buckets while enough are scored, else what `basis` says (S41).
 */
export interface ModelMetrics extends OverallQuality {
  readonly modelId: string
  readonly quality: { readonly heldOut: QualityReport; readonly sinceTraining: PrequentialReport } | null
  readonly agreementWithVotes: AgreementWithVotes | null
  readonly isRecomputingMetrics: boolean
  readonly lastRecomputedTimestamp: string | null
  /** Null before the first recomputation. */
  readonly recomputeStatus: RecomputeState | null
  /** Why the last recomputation failed, or null. */
  readonly recomputeError: string | null
  readonly kbCountPerDecision: ReadonlyMap<string, { readonly alertsCount: number; readonly bucketsCount: number }>
  readonly bucketsInKb: number
  readonly eventsInKb: number
}

export interface JobAndModelMetrics {
  readonly jobId: number
  readonly modelId: string | null
  readonly job: JobMetrics
  /** Null where the job has no model. */
  readonly model: ModelMetrics | null
}

export interface RecomputeAnswer {
  readonly jobId: number
  readonly modelId: string
  readonly status: RecomputeState
  readonly requestedAt: string
}

export interface InternalQuery extends MetricsScope {
  /** Default: all jobs that the principal may see. */
  readonly jobIds?: readonly number[]
  readonly interval?: string
  readonly obfuscateDecisionPoints: boolean
  readonly obfuscateUsernames: boolean
  readonly recomputeModels: boolean
  readonly latestModels: number
  readonly timeoutS: number
}

export interface InternalMetrics {
  readonly endpointWarnings: readonly string[]
  readonly endpointRequestParameters: unknown
  readonly jobMetrics: ReadonlyMap<string, unknown>
  readonly overallFeedbackMetrics: unknown
}

export interface PlatformQuery {
  readonly jobIds?: readonly number[]
  readonly interval: string
}

export interface PlatformMetrics {
  readonly cluster: unknown
  readonly overall: { readonly bucketsCount: number; readonly storageMb: number; readonly eventsCount: number }
  readonly perJob: readonly unknown[]
}

/**
 * Each method rejects with job_not_found, model_not_found, invalid_body (with places), queries_busy, query_timeout,
 * draining. Long work ends when `gone` is aborted, because nobody waits for it any more.
 */
export interface MetricsService {
  job(job: JobHandle, scope: MetricsScope, gone?: AbortSignal): Promise<JobMetrics>
  /** The figures of the latest recomputation. The first call starts one. */
  model(job: JobHandle, modelId: string): Promise<ModelMetrics>
  /** Recomputes the active model first. If that takes longer than `timeoutS`, answers with the latest known figures. */
  jobAndLatestModel(
    job: JobHandle,
    scope: MetricsScope,
    timeoutS: number,
    gone?: AbortSignal,
  ): Promise<JobAndModelMetrics>
  /** Resolves when the request is stored. */
  requestRecompute(job: JobHandle, modelId: string): RecomputeAnswer
  setProductionDate(job: JobHandle, date: string): void
  internal(principal: Principal, query: InternalQuery, gone?: AbortSignal): Promise<InternalMetrics>
  platform(principal: Principal, query: PlatformQuery): Promise<PlatformMetrics>
}
