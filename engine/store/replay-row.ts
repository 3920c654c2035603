/**
 * The rows of `replays`: what was requested, and the report.
 *
 * 1. A report names buckets and events, and has none of their values: these may be erased.
 */
import type { TrainingTerms } from '../domain/learn/model-origin.js'
import type { ReplayFigures } from '../domain/metrics/replay-tally.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

/** How the period is decided again. */
export interface ReplayTerms {
  /** Ingest times, microseconds: from, and up to before. */
  readonly fromMicros: number
  readonly toMicros: number
  /** A model of the registry; null: one is trained for the replay. */
  readonly version: number | null
  /** The model that it is compared with; null: the stored decisions. */
  readonly against: number | null
  /** How the training for the replay differs from the settings of the job. */
  readonly training: TrainingTerms & { readonly decisionPoints?: readonly string[] }
  /** The least confidence with which events are settled and sent, hundredths of a percent; null: as now. */
  readonly threshold: number | null
}

export type ReplayState = 'queued' | 'finished' | 'failed' | 'cancelled'

export interface ReplayReportRow {
  readonly figures: ReplayFigures
  /** Of the output steps, in their order: the integration and its role. */
  readonly outputs: readonly { readonly integrationId: number; readonly role: string }[]
  /** What the decisions come from, as sentences. */
  readonly before: string
  readonly after: string
  /** Decision points of the request at which no event had a value. */
  readonly unseenPoints?: readonly string[]
  readonly seconds: number
}

export interface ReplayRow {
  /** The time of the request, which is its id. */
  readonly id: number
  readonly terms: ReplayTerms
  readonly requestedBy: string
  readonly state: ReplayState
  readonly message: string
  readonly finishedMicros: number | null
  readonly report: ReplayReportRow | null
}

export function isReplayOver({ state }: Pick<ReplayRow, 'state'>): boolean {
  return state !== 'queued'
}

export function encodeReplay(row: ReplayRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeReplay(value: Uint8Array): ReplayRow {
  return decodeJsonRow(value) as ReplayRow
}
