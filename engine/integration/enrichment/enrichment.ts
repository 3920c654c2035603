/** Types of enrichment: a running step, its status, and the results of one event. */
import type { EnrichmentOutcome } from '../../store/enrichment-row.js'
import type { Halted } from '../delivery/halt.js'
import type { StepId } from '../delivery/ledger.js'
import type { EnrichmentCounts, EnrichmentRequests } from './enrichment-requests.js'

/** An enrichment step of one job. */
export interface EnrichmentStep {
  readonly id: StepId
  /** Title of the integration. */
  readonly title: string
  /** The name of its fields: `enrichment.<name>.<field>`. */
  readonly name: string
  readonly timeLimitMs: number
  /** null if it cannot be opened: `invalid` says why. */
  readonly requests: EnrichmentRequests | null
  readonly invalid: string
}

export interface EnrichmentStatus extends EnrichmentCounts {
  readonly id: StepId
  readonly name: string
  readonly state: 'running' | 'retrying' | 'open' | 'stopped' | 'invalid'
  /** '' while the step works. */
  readonly reason: string
  /** A sentence about the data that it holds in memory; '' where it asks the counterpart each time. */
  readonly summary: string
  /** Set where the counterpart says that it will answer nothing. */
  readonly halted: Halted | null
}

/** What was found about one event, step by step. */
export interface EnrichedResult {
  /** Its ingest time. */
  readonly micros: number
  readonly steps: readonly {
    readonly integrationId: number
    readonly name: string
    readonly title: string
    readonly outcome: EnrichmentOutcome
    readonly reason: string
    readonly ms: number
    /** Absent without an answer. */
    readonly fields?: Readonly<Record<string, unknown>>
  }[]
}
