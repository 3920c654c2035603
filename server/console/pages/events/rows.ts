/** The rows that are loaded of a view, and loading more of them. */
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { messageOf } from '../../state/api.js'
import { ServiceError } from '../../../client/index.js'
import { afterPaint } from '../../state/paint.js'
import type { Row } from './row.js'
import { readPage, readTotal, type Page, type Progress } from './source.js'
import { rowsKey, type View } from '../../first-requests.js'

export interface Rows {
  readonly rows: readonly Row[]
  /** Null until it is known. */
  readonly total: number | null
  /** False: there are at least so many. */
  readonly isTotalExact: boolean
  readonly error: string | null
  /** The service cannot read the query. */
  readonly isRefused: boolean
  readonly isLoading: boolean
  /** How far the search has come; null: it is at the end, or nothing is looked for. */
  readonly progress: Progress | null
  /** Loads the next page, if there is one. */
  more(): void
  /** Loads again, with what came since. */
  reload(): void
  /** The rows as they are, for somebody who comes back. */
  snapshot(): RowsState
}

/** Rows as they are loaded, to be shown again. */
export interface RowsState {
  readonly rows: readonly Row[]
  readonly total: number | null
  readonly isTotalExact: boolean
  readonly next: string | null
  readonly error: string | null
  readonly isRefused: boolean
  readonly isLoading: boolean
  readonly progress: Progress | null
}

const empty: RowsState = {
  rows: [],
  total: null,
  isTotalExact: true,
  next: '',
  error: null,
  isRefused: false,
  isLoading: true,
  progress: null,
}

/** The same rows with those of a page after them. An event that was decided again meanwhile is not shown twice. */
function joined(rows: readonly Row[], page: readonly Row[]): Row[] {
  const ids = new Set(rows.slice(-2 * page.length).map(({ id }) => id))
  return [...rows, ...page.filter(({ id }) => !ids.has(id))]
}

/** With fewer rows than these more, the next ones are read at once. */
const FEW = 30

/** The number of rows, where they are all there or the page knows it. */
function countedBy(before: RowsState, found: Page, rows: number): Pick<RowsState, 'total' | 'isTotalExact'> {
  if (found.total !== null) return found
  return found.next === null ? { total: rows, isTotalExact: true } : before
}

/** How far the search is after a page. */
function progressOf(before: Progress | null, { next, progress }: Page): Progress | null {
  if (progress === null || next === null) return null
  return { ...progress, looked: Math.min((before?.looked ?? 0) + progress.looked, progress.of) }
}

/** The state with a page more. The search goes on until there are as many rows as are wanted. */
function taken(before: RowsState, found: Page, { isFirst, wanted }: { isFirst: boolean; wanted: number }): RowsState {
  const rows = isFirst ? found.rows : joined(before.rows, found.rows)
  const { total, isTotalExact } = countedBy(before, found, rows.length)
  const progress = progressOf(isFirst ? null : before.progress, found)
  const isLoading = progress !== null && rows.length < wanted
  return { rows, total, isTotalExact, next: found.next, error: null, isRefused: false, isLoading, progress }
}

/** The state after a failure. A query that cannot be read has no rows. */
function failed(before: RowsState, error: unknown): RowsState {
  const isRefused = error instanceof ServiceError && error.status === 422
  return { ...before, rows: isRefused ? [] : before.rows, error: messageOf(error), isRefused, isLoading: false }
}

/** `kept`: the rows that were left, where somebody comes back. */
export function useRows(view: View, kept?: RowsState): Rows {
  const state = useSignal(kept ?? empty)
  const isBack = useRef(kept !== undefined)
  const controller = useRef<AbortController | null>(null)
  const isBusy = useRef(false)
  const isCounting = useRef(false)
  const wanted = useRef(FEW)
  /** Rows are shown before they are counted. */
  const countAll = async (signal: AbortSignal): Promise<void> => {
    try {
      await afterPaint()
      signal.throwIfAborted()
      const counted = await readTotal(view, signal)
      if (!signal.aborted) state.value = { ...state.peek(), ...counted }
    } catch (error) {
      if (!signal.aborted) state.value = { ...state.peek(), error: messageOf(error) }
    }
  }
  /** What is rare is looked for on: each answer takes a bounded time, and has what was found until then. */
  const goOn = (found: Page, signal: AbortSignal): void => {
    if (state.value.isLoading) setTimeout(() => void read(false))
    else if (found.next !== null && found.total === null && !isCounting.current) {
      isCounting.current = true
      void countAll(signal)
    }
  }
  const read = async (isFirst: boolean): Promise<void> => {
    const after = isFirst ? '' : state.peek().next
    if (after === null || (isBusy.current && !isFirst)) return
    if (isFirst) {
      controller.current?.abort()
      controller.current = new AbortController()
      isCounting.current = false
      wanted.current = FEW
    }
    const { signal } = controller.current as AbortController
    isBusy.current = true
    if (!state.peek().isLoading || state.peek().error !== null)
      state.value = { ...state.peek(), isLoading: true, error: null }
    try {
      const found = await readPage(view, after, signal)
      if (signal.aborted) return
      state.value = taken(state.peek(), found, { isFirst, wanted: wanted.current })
      goOn(found, signal)
    } catch (error) {
      if (!signal.aborted) state.value = failed(state.peek(), error)
    } finally {
      if (!signal.aborted) isBusy.current = false
    }
  }
  const key = rowsKey(view)
  // Not a frame later, as an effect would be.
  useLayoutEffect(() => {
    if (isBack.current) controller.current = new AbortController()
    else {
      state.value = { ...empty, rows: state.peek().rows }
      void read(true)
    }
    isBack.current = false
    return () => controller.current?.abort()
  }, [key])
  const { next: _, ...shown } = state.value
  const more = (): void => {
    wanted.current = Math.max(wanted.current, state.peek().rows.length + FEW)
    void read(false)
  }
  return { ...shown, more, reload: () => void read(true), snapshot: () => ({ ...state.peek(), isLoading: false }) }
}
