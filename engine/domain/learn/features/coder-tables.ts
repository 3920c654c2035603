/**
 * What a model codes events with, as plain parts: from the decision points to numbers of features and codes of columns.
 *
 * Owns: the bytes of these parts. Leaves out: coding (event-coder.ts), where the parts come from (learning-table.ts).
 */
import type { ModelReader, ModelWriter } from '../model-bytes.js'
import { EventCoder } from './event-coder.js'
import { FeatureTable } from './feature-table.js'
import { FeatureEncoder } from './features.js'
import { readNumberColumns, writeNumberColumns, type NumberColumn } from './number-columns.js'
import { readProfiles, writeProfiles, type PointProfile } from './point-profile.js'
import { readFactors, writeFactors, type TextFactors } from './text-factors.js'

/** How events are coded. */
export interface CoderTables {
  readonly points: readonly string[]
  readonly profiles: readonly PointProfile[]
  /** Two indices of points a pair. */
  readonly pairs: Int32Array
  /** Hashes of the features, those with weights first, and how often each was seen. */
  readonly features: Int32Array
  readonly counts: Int32Array
  readonly columns: readonly NumberColumn[]
  /** For each feature with weights its column in the trees, or -1. */
  readonly columnOf: Int32Array
  readonly columnCount: number
  readonly factors: TextFactors
}

export function writeCoder(parts: CoderTables, to: ModelWriter): void {
  to.u32(parts.points.length)
  for (const point of parts.points) to.text(point)
  writeProfiles(parts.profiles, to)
  to.u32s(parts.pairs)
  to.u32s(parts.features)
  to.u32s(parts.counts)
  writeNumberColumns(parts.columns, to)
  to.u32s(parts.columnOf)
  to.u32(parts.columnCount)
  writeFactors(parts.factors, to)
}

export function readCoder(from: ModelReader): CoderTables {
  const points: string[] = []
  for (let left = from.u32(); left > 0; left--) points.push(from.text())
  return {
    points,
    profiles: readProfiles(from),
    pairs: Int32Array.from(from.u32s()),
    features: Int32Array.from(from.u32s()),
    counts: Int32Array.from(from.u32s()),
    columns: readNumberColumns(from),
    columnOf: Int32Array.from(from.u32s()),
    columnCount: from.u32(),
    factors: readFactors(from),
  }
}

/** What codes an event for the model with these parts. */
export function makeCoder(parts: CoderTables): EventCoder {
  const encoder = new FeatureEncoder(parts.points, parts.profiles, parts.pairs)
  const table = new FeatureTable(parts.features.length)
  for (const hash of parts.features) table.add(hash)
  return new EventCoder({ ...parts, encoder, table })
}
