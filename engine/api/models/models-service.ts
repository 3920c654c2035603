/** The contract of the model registry: every model of a job, what it was made from, and which one decides. */
import type { PairedVerdict } from '../../domain/autonomy/paired-test.js'
import type { Objective } from '../../domain/job/objective.js'
import type { ActiveSpan, ModelOrigin } from '../../domain/learn/model-origin.js'
import type { QualityReport } from '../../domain/metrics/quality.js'
import type { Author, JobHandle } from '../principal.js'

export interface ModelView {
  readonly modelId: string
  readonly version: number
  /** It decides new events. */
  readonly isActive: boolean
  /** It can decide again: its bytes are kept. */
  readonly isKept: boolean
  readonly bytes: number
  readonly trainedMicros: number
  /** The algorithm and its version. */
  readonly algorithm: string
  /** Null where it is not known. */
  readonly origin: (Omit<ModelOrigin, 'labelCounts'> & { readonly labelCounts: ReadonlyMap<string, number> }) | null
  readonly examples: number
  readonly features: number
  /** Of events that were held out from its training. */
  readonly heldOut: QualityReport
  readonly heldOutLogLoss: number | null
  /** Oldest first. */
  readonly activeTimes: readonly ActiveSpan[]
}

export interface ModelPage {
  /** Latest first. */
  readonly models: readonly ModelView[]
  readonly total: number
  /** Models whose bytes the job keeps at most. */
  readonly keptMax: number
}

export interface RolledBack {
  /** The model that decided until then, or null. */
  readonly from: string | null
  /** The model that decides from the next event on. */
  readonly to: string
}

/** A model that decides in shadow. */
export interface ChallengerView {
  readonly modelId: string
  readonly champion: string
  readonly sinceMicros: number
  readonly by: string
  /** Its verdict promotes or drops it. */
  readonly isAutomatic: boolean
  /** Events that both have decided, and differently. */
  readonly events: number
  readonly disagreements: number
  /** Disagreements that people answered, by who was right. */
  readonly challengerRight: number
  readonly championRight: number
  readonly neitherRight: number
  readonly verdict: PairedVerdict
  /** For people. */
  readonly message: string
}

/** A model of the registry, or how one is to be trained. */
export interface ChallengeRequest {
  readonly modelId?: string | undefined
  readonly objective?: Objective | undefined
  readonly withoutAnalysts?: readonly string[] | undefined
  readonly seed?: number | undefined
}

export interface ModelsService {
  /** Null where none decides in shadow. */
  challenger(job: JobHandle): ChallengerView | null
  /**
   * Starts a challenger; null while its training runs. Rejects with challenger_refused, not_enough_feedback,
   * training_in_progress and the refusals of `rollBack`.
   */
  challenge(job: JobHandle, request: ChallengeRequest, by: Author): Promise<ChallengerView | null>
  /** The challenger decides from the next event on. Rejects with challenger_not_found. */
  promote(job: JobHandle, by: Author): Promise<RolledBack>
  /** Rejects with challenger_not_found. */
  drop(job: JobHandle, by: Author): Promise<void>
  list(job: JobHandle, page: number, size: number): ModelPage
  /** @throws Refusal model_not_found. */
  model(job: JobHandle, modelId: string): ModelView
  /**
   * Makes an earlier model decide, from the next event on; without an id the one that decided before. Rejects with
   * model_not_found, model_not_kept, model_active, model_misfit.
   */
  rollBack(job: JobHandle, modelId: string | undefined, by: Author): Promise<RolledBack>
}
