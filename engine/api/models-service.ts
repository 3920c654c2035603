/** The contract of the model registry: every model of a job, what it was made from, and which one decides. */
import type { ActiveSpan, ModelOrigin } from '../domain/learn/model-origin.js'
import type { QualityReport } from '../domain/metrics/quality.js'
import type { Author, JobHandle } from './principal.js'

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

export interface ModelsService {
  list(job: JobHandle, page: number, size: number): ModelPage
  /** @throws Refusal model_not_found. */
  model(job: JobHandle, modelId: string): ModelView
  /**
   * Makes an earlier model decide, from the next event on; without an id the one that decided before. Rejects with
   * model_not_found, model_not_kept, model_active, model_misfit.
   */
  rollBack(job: JobHandle, modelId: string | undefined, by: Author): Promise<RolledBack>
}
