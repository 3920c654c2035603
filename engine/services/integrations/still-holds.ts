/**
 * Whether rows of the catalog still say what they said when a step was opened. The integrations thread is told of
 * changes a moment late, so it checks.
 *
 * 1. A change is in the catalog before its caller gets an answer, so before any event that comes in after the answer. A
 *    step that has read events makes this check afterwards. Where it holds, none of these events came in after a
 *    change, and the step may deliver or enrich them as it was set up.
 */
import { idKey } from '../../resource/records.js'
import type { Environment } from '../../store/environment.js'

/** A row of the catalog: its table and its id. */
export type ResourceRow = readonly ['jobs' | 'integrations', number]

/** A check that calls `holds` only where a row has changed since the last time, or is gone. */
export function stillHolds(catalog: Environment, rows: readonly ResourceRow[], holds: () => boolean): () => boolean {
  let seen: readonly (Uint8Array | undefined)[] = []
  let held = true
  return () => {
    catalog.refresh()
    const now = rows.map(([table, id]) => catalog.get(table, idKey(id)))
    if (!now.every((bytes, at) => isSame(bytes, seen[at]))) [seen, held] = [now, holds()]
    return held
  }
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a !== undefined && b !== undefined && Buffer.compare(a, b) === 0
}
