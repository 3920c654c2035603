/**
 * The row of what was looked up elsewhere about an event: which step, how it ended, and what of the client's the fields stand in
 * the place of. The fields themselves are in the event's body, under `enrichment`, where everything that reads events finds them.
 *
 * A row of its own, and a mark in the event's record that there is one: jobs without enrichment pay nothing for it.
 */
import { decodeJsonRow, encodeJsonRow } from './rows.js'

/** The field of a body that what was looked up is in, by the name of the step. */
export const ENRICHMENT = 'enrichment'

/** How the look-up of one step ended. `late`: the time was over before there was an answer. */
export type EnrichmentOutcome = 'found' | 'nothing' | 'failed' | 'late'

export interface EnrichmentNote {
  /** What the fields are called by: `enrichment.<name>.<field>`. */
  readonly name: string
  /** Of the integration. */
  readonly title: string
  readonly outcome: EnrichmentOutcome
  /** For people; '' where there is nothing to say. */
  readonly reason: string
  /** Milliseconds that it took. */
  readonly ms: number
}

export interface EnrichmentRow {
  /** When the event was decided, microseconds. */
  readonly atMicros: number
  readonly steps: readonly EnrichmentNote[]
  /** What the client's body had in the field `enrichment`; absent where it had none. */
  readonly had?: unknown
  /** Why what was found could not be kept with the event; absent where it was. */
  readonly leftOut?: string
}

export function encodeEnrichments(row: EnrichmentRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeEnrichments(value: Uint8Array): EnrichmentRow {
  return decodeJsonRow(value) as EnrichmentRow
}
