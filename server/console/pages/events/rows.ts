/** The rows that are loaded of a view, and loading more of them. */
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { messageOf } from '../../state/api.js'
import { readPage, readTotal, type Page, type Row, type View } from './source.js'

export interface Rows {
  readonly rows: readonly Row[]
  /** Null until it is known. */
  readonly total: number | null
  /** False: there are at least so many. */
  readonly isTotalExact: boolean
  readonly error: string | null
  readonly isLoading: boolean
  /** Loads the next page, if there is one. */
  more(): void
  /** Loads again, with what came since. */
  reload(): void
}

interface State {
  readonly rows: readonly Row[]
  readonly total: number | null
  readonly isTotalExact: boolean
  readonly next: string | null
  readonly error: string | null
  readonly isLoading: boolean
}

const empty: State = { rows: [], total: null, isTotalExact: true, next: '', error: null, isLoading: true }

/** The same rows with those of a page after them. An event that was decided again meanwhile is not shown twice. */
function joined(rows: readonly Row[], page: readonly Row[]): Row[] {
  const ids = new Set(rows.slice(-2 * page.length).map(({ id }) => id))
  return [...rows, ...page.filter(({ id }) => !ids.has(id))]
}

/** The state with a page more. */
function taken(before: State, found: Page, isFirst: boolean): State {
  const rows = isFirst ? found.rows : joined(before.rows, found.rows)
  const counted = found.total === null ? before : found
  return {
    rows,
    total: counted.total,
    isTotalExact: counted.isTotalExact,
    next: found.next,
    error: null,
    isLoading: found.next !== null && rows.length === 0,
  }
}

/** With fewer rows the next ones are read at once. */
const FEW = 30

export function useRows(view: View, columns: readonly string[]): Rows {
  const state = useSignal(empty)
  const controller = useRef<AbortController | null>(null)
  const isBusy = useRef(false)
  /** Rows are shown before they are counted. */
  const countAll = async (signal: AbortSignal): Promise<void> => {
    try {
      const counted = await readTotal(view, signal)
      if (!signal.aborted) state.value = { ...state.peek(), ...counted }
    } catch (error) {
      if (!signal.aborted) state.value = { ...state.peek(), error: messageOf(error) }
    }
  }
  const read = async (isFirst: boolean): Promise<void> => {
    const after = isFirst ? '' : state.peek().next
    if (after === null || (isBusy.current && !isFirst)) return
    if (isFirst) {
      controller.current?.abort()
      controller.current = new AbortController()
    }
    const { signal } = controller.current as AbortController
    isBusy.current = true
    state.value = { ...state.peek(), isLoading: true, error: null }
    try {
      const found = await readPage(view, columns, after, signal)
      if (signal.aborted) return
      state.value = taken(state.peek(), found, isFirst)
      if (isFirst && found.total === null) void countAll(signal)
      // What is rare is looked for on: each answer takes a bounded time, and has what was found until then.
      if (found.next !== null && state.value.rows.length < FEW) setTimeout(() => void read(false))
    } catch (error) {
      if (!signal.aborted) state.value = { ...state.peek(), error: messageOf(error), isLoading: false }
    } finally {
      if (!signal.aborted) isBusy.current = false
    }
  }
  const key = JSON.stringify([view, columns])
  // Not a frame later, as an effect would be.
  useLayoutEffect(() => {
    state.value = { ...empty, rows: state.peek().rows }
    void read(true)
    return () => controller.current?.abort()
  }, [key])
  const { rows, total, isTotalExact, error, isLoading } = state.value
  return { rows, total, isTotalExact, error, isLoading, more: () => void read(false), reload: () => void read(true) }
}
