/**
 * A list of any length: rows of one height, of which only those in view exist.
 *
 * Owns: the cursor, loading more at the end. Leaves out: which rows exist (window.ts), what a row shows.
 *
 * 1. New rows never move the row under the cursor: lists grow at the end.
 * 2. Elements are used again: those of rows that leave the view show the ones that enter it, and another list changes
 *    texts alone.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { printing } from '../state/printing.js'
import { scrollTo, windowOf } from './window.js'

/** So many rows before the end the next ones are asked for. */
const AHEAD = 40
/** Rows on paper, at most. */
const PRINTED_MAX = 1_000

interface ListProps {
  readonly label: string
  readonly length: number
  readonly rowHeight: number
  /** The index of the row with the cursor. */
  readonly cursor: number
  readonly isSelected?: (at: number) => boolean
  readonly row: (at: number) => ComponentChildren
  /** What screen readers say of a row after its text. */
  readonly describe?: (at: number) => string
  readonly onChoose: (at: number, event: MouseEvent) => void
  readonly more?: () => void
  /** Rows on the server, where they are known. */
  readonly total?: number
}

export function List(props: ListProps) {
  const { label, length, rowHeight, cursor, isSelected, row, onChoose, more } = props
  const ref = useRef<HTMLDivElement>(null)
  const latest = useRef(onChoose)
  latest.current = onChoose
  const scroll = useSignal({ top: 0, height: 600 })
  const shown = printing.value
    ? { first: 0, count: Math.min(length, PRINTED_MAX), top: 0, height: 0 }
    : windowOf(length, rowHeight, scroll.value.top, scroll.value.height)
  useLayoutEffect(() => {
    const { current } = ref
    if (current === null) return
    const measure = (): void => void (scroll.value = { top: current.scrollTop, height: current.clientHeight })
    const observer = new ResizeObserver(measure)
    const choose = (event: MouseEvent): void => {
      const chosen = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-at]') : null
      if (chosen !== null) latest.current(Number(chosen.dataset.at), event)
    }
    observer.observe(current)
    current.addEventListener('click', choose)
    measure()
    return () => {
      observer.disconnect()
      current.removeEventListener('click', choose)
    }
  }, [])
  useLayoutEffect(() => {
    const { current } = ref
    if (current === null || length === 0) return
    const to = scrollTo(cursor, props, current.scrollTop, current.clientHeight)
    if (to !== null) current.scrollTop = to
  }, [cursor])
  const last = shown.first + shown.count
  useEffect(() => {
    if (last + AHEAD >= length || cursor + AHEAD >= length) more?.()
  }, [last, cursor, length])
  const rows = Array.from({ length: shown.count }, (_, index) => shown.first + index)
  return (
    <div
      ref={ref}
      class="list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-multiselectable={isSelected === undefined ? undefined : 'true'}
      aria-activedescendant={length === 0 ? undefined : `row-${cursor}`}
      style={{ '--row-height': `${rowHeight}px` }}
      onScroll={({ currentTarget: { scrollTop: top, clientHeight: height } }) => (scroll.value = { top, height })}
    >
      <div class="list-space" style={printing.value ? {} : { height: `${shown.height}px` }}>
        <div class="list-rows" style={printing.value ? {} : { transform: `translateY(${shown.top}px)` }}>
          {rows.map((at) => (
            <div
              key={at % rows.length}
              id={`row-${at}`}
              role="option"
              aria-selected={isSelected?.(at) ?? at === cursor}
              aria-posinset={at + 1}
              aria-setsize={props.total ?? -1}
              aria-description={props.describe?.(at)}
              class={at === cursor ? 'list-row cursor' : 'list-row'}
              tabIndex={-1}
              data-at={at}
            >
              {row(at)}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}
