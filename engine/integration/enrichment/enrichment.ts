/** The words of enrichment: a step as it runs, what it says of itself, what was found out about an event. */
import type { EnrichmentOutcome } from '../../store/enrichment-row.js'
import type { StepId } from '../delivery/ledger.js'
import type { EnrichmentCounts, EnrichmentRequests } from './enrichment-requests.js'

/** A step that enriches, of one job. */
export interface EnrichmentStep {
  readonly id: StepId
  /** Of the integration. */
  readonly title: string
  /** What the fields are called by. */
  readonly name: string
  readonly timeLimitMs: number
  /** null where it cannot be opened: `invalid` says why. */
  readonly looks: EnrichmentRequests | null
  readonly invalid: string
}

export interface EnrichmentStatus extends EnrichmentCounts {
  readonly id: StepId
  readonly name: string
  readonly state: 'running' | 'retrying' | 'open' | 'invalid'
  /** '' where all is well. */
  readonly reason: string
  /** What it knows by itself; '' where it asks each time. */
  readonly summary: string
}

/** What was found out about one event, step by step. */
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
    /** Absent where there was no answer. */
    readonly fields?: Readonly<Record<string, unknown>>
  }[]
}
