/**
 * The tables that a model codes events with, as plain data: from the decision points to the columns of the trees.
 *
 * Owns: the bytes of these tables. Leaves out: coding (event-coder.ts), the choice of tables (learning-table.ts).
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
  /** Two indices of points for each pair. */
  readonly pairs: Int32Array
  /** Hashes of the features, those with weights first; and how often each was seen. */
  readonly features: Int32Array
  readonly counts: Int32Array
  readonly columns: readonly NumberColumn[]
  /** The column of the trees for each feature with weights, or -1. */
  readonly columnOf: Int32Array
  readonly columnCount: number
  readonly factors: TextFactors
}

export function writeCoder(tables: CoderTables, to: ModelWriter): void {
  to.u32(tables.points.length)
  for (const point of tables.points) to.text(point)
  writeProfiles(tables.profiles, to)
  to.u32s(tables.pairs)
  to.u32s(tables.features)
  to.u32s(tables.counts)
  writeNumberColumns(tables.columns, to)
  to.u32s(tables.columnOf)
  to.u32(tables.columnCount)
  writeFactors(tables.factors, to)
}

export function readCoder(from: ModelReader): CoderTables {
  const points: string[] = []
  for (let left = from.u32(); left > 0; left--) points.push(from.text())
  return {
    points,
    profiles: readProfiles(from),
    pairs: from.i32s(),
    features: from.i32s(),
    counts: from.i32s(),
    columns: readNumberColumns(from),
    columnOf: from.i32s(),
    columnCount: from.u32(),
    factors: readFactors(from),
  }
}

/** A coder with these tables. */
export function makeCoder(tables: CoderTables): EventCoder {
  const encoder = new FeatureEncoder(tables.points, tables.profiles, tables.pairs)
  const table = new FeatureTable(tables.features.length)
  for (const hash of tables.features) table.add(hash)
  return new EventCoder({ ...tables, encoder, table })
}
