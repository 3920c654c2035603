/**
 * The metrics API as the outside sees it: questions and answers, in the engine's own spelling.
 *
 * Times in answers are ISO 8601 UTC. Maps are keyed by names that people gave, or by ids; everything else by words of ours.
 * Figures are defined where they are computed: confusion.ts, event-tally.ts, confidence.ts, point-usefulness.ts,
 * input-profile.ts, feedback-tally.ts, period.ts.
 */
import type { Quality } from '../domain/metrics/confusion.js'
import type { JobHandle, Principal } from './principal.js'

/** Which events are counted. */
export interface MetricsScope {
  /** ISO 8601; without a zone UTC. Not given: the job's production date, else its first event. */
  readonly startDatetime?: string
  /** Not part of the period. Not given: now. */
  readonly endDatetime?: string
  /** `[{field, operator, value}]` as the client sent it. */
  readonly filters?: unknown
}

export interface ChangedConsensus {
  readonly totalEvents: number
  /** Up to ten: the latest event of each of the largest buckets; where there are no buckets, the latest events. */
  readonly topEventsIds: readonly string[]
  readonly topBucketsIds: readonly string[]
}

export interface JobMetrics extends Quality {
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

/** The word that a model's recomputation stands at; null before the first. */
export type RecomputeState = 'queued' | 'in_progress' | 'completed' | 'failed'

/** Where nothing was computed yet, figures are null. */
export interface ModelMetrics extends Omit<Quality, 'confusionMatrix' | 'metricsPerDecision'> {
  readonly modelId: string
  readonly confusionMatrix: Quality['confusionMatrix'] | null
  readonly metricsPerDecision: Quality['metricsPerDecision']
  readonly isRecomputingMetrics: boolean
  readonly lastRecomputedTimestamp: string | null
  readonly recomputeStatus: RecomputeState | null
  /** Why the last recomputation failed, or null. */
  readonly recomputeError: string | null
  readonly kbCountPerDecision: ReadonlyMap<string, { readonly alertsCount: number; readonly bucketsCount: number }>
  readonly bucketsInKb: number | null
  readonly eventsInKb: number | null
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
  /** All that the principal may see where not given. */
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

/** Each rejects with job_not_found, model_not_found, invalid_body (with places), queries_busy, query_timeout, draining. */
/** What takes long is given up once `gone` is aborted: nobody waits for it any more. */
export interface MetricsService {
  job(job: JobHandle, scope: MetricsScope, gone?: AbortSignal): Promise<JobMetrics>
  /** The figures of the latest recomputation; the first look makes one. */
  model(job: JobHandle, modelId: string): Promise<ModelMetrics>
  /** The model in use is recomputed first, for at most `timeoutS`; where that is not enough, what is known is told. */
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
