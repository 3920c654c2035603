/** The contract of figures about analysts: how far they agree, and how reliable each is. */
import type { JobHandle } from './principal.js'

export interface AnalystView {
  readonly analyst: string
  readonly votes: number
  /** Events that others answered too. */
  readonly sharedEvents: number
  /** By label of the job. Reliability is null where too few events were answered by two. */
  readonly labels: readonly {
    readonly label: string
    readonly votes: number
    /** The share of events with this true label that the analyst answers with it, estimated. */
    readonly reliability: number | null
    /** The chance that the analyst is right with it, estimated. */
    readonly precision: number | null
    /** How much a vote counts where the consensus is weighted. */
    readonly weight: number | null
  }[]
}

export interface AnalystsView {
  readonly analysts: readonly AnalystView[]
  /** Pairs with most events first. */
  readonly pairs: readonly {
    readonly analysts: readonly [string, string]
    readonly events: number
    readonly agreement: number
    readonly cohenKappa: number | null
  }[]
  readonly fleissKappa: number | null
  readonly krippendorffAlpha: number | null
  readonly sharedEvents: number
  readonly message: string
  /** False where the job has more votes than are read. */
  readonly isComplete: boolean
}

export interface AnalystsService {
  /** Rejects with queries_busy. */
  of(job: JobHandle): Promise<AnalystsView>
}
