/**
 * The rows of `registry`: what is known of each model of a job. A row stays when the bytes of its model are dropped.
 */
import type { ModelSummary } from '../domain/learn/classifier.js'
import type { ActiveSpan, ModelOrigin } from '../domain/learn/model-origin.js'
import { decodeJsonRow, encodeJsonRow } from './json-row.js'

export interface RegistryRow {
  readonly version: number
  readonly trainedMicros: number
  /** The time of the message that brought it. */
  readonly installedMicros: number
  readonly throughSeq: number
  /** Of its decision points. */
  readonly fingerprint: number
  readonly summary: ModelSummary
  /** Null where it is not known. */
  readonly origin: ModelOrigin | null
  readonly bytes: number
  /** Its bytes are in `models`. */
  readonly isKept: boolean
  /** When events were erased that it was trained with; absent where there are none. */
  readonly erasedMicros?: number | undefined
  /** Oldest first. Empty for one that never decided. */
  readonly spans: readonly ActiveSpan[]
}

export function encodeRegistry(row: RegistryRow): Buffer {
  return encodeJsonRow(row)
}

export function decodeRegistry(value: Uint8Array): RegistryRow {
  return decodeJsonRow(value) as RegistryRow
}
