/**
 * The row of an event's enrichment: each step and how it ended, and the client's field that the result replaced. The
 * added fields are in the event's body, under `enrichment`, where all readers of events find them.
 *
 * It is a row of its own, and the event's record has a flag for it: jobs without enrichment pay nothing.
 */
import { parseJson } from '../domain/event/json.js'
import { encodeJsonRow, jsonOfRow } from './json-row.js'

/** The field of a body that holds the added fields, by name of the step. */
export const ENRICHMENT = 'enrichment'

/** How one step ended. `late`: no answer came in time. */
export type EnrichmentOutcome = 'found' | 'nothing' | 'failed' | 'late'

export interface EnrichmentNote {
  /** The fields are `enrichment.<name>.<field>`. */
  readonly name: string
  /** Of the integration. */
  readonly title: string
  readonly outcome: EnrichmentOutcome
  /** A sentence for people, or ''. */
  readonly reason: string
  /** Duration, milliseconds. */
  readonly ms: number
}

export interface EnrichmentRow {
  /** When the event was decided, microseconds. */
  readonly atMicros: number
  readonly steps: readonly EnrichmentNote[]
  /** The value of `enrichment` in the client's body; absent if there was none. */
  readonly had?: unknown
  /** Why the added fields could not be stored; absent if they were. */
  readonly leftOut?: string
}

export function encodeEnrichments(row: EnrichmentRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeEnrichments(value: Uint8Array): EnrichmentRow {
  return parseJson(jsonOfRow(value)) as EnrichmentRow
}
