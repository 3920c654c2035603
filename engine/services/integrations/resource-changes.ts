/**
 * Whether rows of the catalog still say what somebody read off them, asked on a thread that hears of changes a moment later.
 *
 * 1. A change is in the catalog before whoever asked for it is answered, and so before anything that comes in behind the answer. Who has
 *    read events asks here, after that, whether it may still tell them, or ask about them, as it was set up: if so, none of them came in
 *    behind a change.
 */
import { idKey } from '../../resource/records.js'
import type { Environment } from '../../store/environment.js'

/** A row of the catalog: its table and its id. */
export type ResourceRow = readonly ['jobs' | 'integrations', number]

/** Asks `holds` again only where the bytes of a row are not those of the last time, or where one is gone. */
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
