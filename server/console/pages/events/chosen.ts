/**
 * Which events are chosen: some, or all that a query finds but some.
 *
 * 1. Whatever a row shows is what is chosen: an action is about these rows, and about no others.
 * 2. "All but" is about events that are not loaded, too. The rows that were taken out are remembered, as are those that
 *    were put in: a list that is loaded anew loses neither.
 */
import type { Row } from './row.js'

export interface Chosen {
  /** False: `rows` are chosen. True: all that the query finds, without `rows`. */
  readonly isAllBut: boolean
  readonly rows: ReadonlyMap<string, Row>
}

export const nothing: Chosen = { isAllBut: false, rows: new Map() }
export const everything: Chosen = { isAllBut: true, rows: new Map() }

export function isNothing({ isAllBut, rows }: Chosen): boolean {
  return !isAllBut && rows.size === 0
}

export function isChosen({ isAllBut, rows }: Chosen, id: string): boolean {
  return rows.has(id) !== isAllBut
}

/** With these rows chosen, or taken out. */
export function withRows(chosen: Chosen, rows: readonly Row[], areChosen: boolean): Chosen {
  const next = new Map(chosen.rows)
  for (const row of rows) {
    if (areChosen === chosen.isAllBut) next.delete(row.id)
    else next.set(row.id, row)
  }
  return { ...chosen, rows: next }
}

export function toggledRow(chosen: Chosen, row: Row): Chosen {
  return withRows(chosen, [row], !isChosen(chosen, row.id))
}

/** How many are chosen; null: the query's events are not counted. */
export function countOf({ isAllBut, rows }: Chosen, total: number | null): number | null {
  if (!isAllBut) return rows.size
  return total === null ? null : Math.max(0, total - rows.size)
}

/** The chosen rows, where all of them are loaded; null: there may be others. */
export function rowsOf(chosen: Chosen, loaded: readonly Row[], total: number | null): readonly Row[] | null {
  if (!chosen.isAllBut) return [...chosen.rows.values()]
  return total === loaded.length ? loaded.filter(({ id }) => isChosen(chosen, id)) : null
}
