/** Which rows are selected, and the cursor. */
import { useSignal, type Signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useCommands } from '../../state/keys.js'
import type { Row } from './source.js'

export interface Selection {
  readonly cursor: Signal<number>
  readonly ids: ReadonlySet<string>
  /** All that the query finds is selected, not only what is loaded. */
  readonly isAll: boolean
  has(id: string): boolean
  /** Selects the row, or takes it out; with `isRange` all from the last one on. */
  select(at: number, isRange: boolean): void
  clear(): void
}

export function useSelection(rows: readonly Row[], key: string): Selection {
  const cursor = useSignal(0)
  const ids = useSignal<ReadonlySet<string>>(new Set())
  const last = useSignal(0)
  const isAll = useSignal(false)
  useEffect(() => {
    cursor.value = 0
    ids.value = new Set()
    isAll.value = false
  }, [key])
  const select = (at: number, isRange: boolean): void => {
    const row = rows[at]
    if (row === undefined) return
    const next = new Set(ids.value)
    const [from, to] = isRange ? [Math.min(last.value, at), Math.max(last.value, at)] : [at, at]
    if (isRange) for (const { id } of rows.slice(from, to + 1)) next.add(id)
    else if (!next.delete(row.id)) next.add(row.id)
    last.value = at
    ids.value = next
    isAll.value = false
  }
  const clear = (): void => {
    ids.value = new Set()
    isAll.value = false
  }
  useCommands({
    'list.select': () => select(cursor.value, false),
    'list.range': () => select(cursor.value, true),
    'list.all': () => (isAll.value = rows.length > 0),
    back: clear,
  })
  const has = (id: string): boolean => isAll.value || ids.value.has(id)
  return { cursor, ids: ids.value, isAll: isAll.value, has, select, clear }
}

/** The selected rows that are loaded. */
export function selectionOf(rows: readonly Row[], { ids }: Selection): readonly Row[] {
  return ids.size === 0 ? [] : rows.filter(({ id }) => ids.has(id))
}
