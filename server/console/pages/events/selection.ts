/** What is chosen of a list (chosen.ts), and the cursor, with their keys. */
import { useSignal, type Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useCommands } from '../../state/keys.js'
import { everything, isChosen, nothing, toggledRow, withRows, type Chosen } from './chosen.js'
import type { Row } from './row.js'

export interface Selection {
  readonly cursor: Signal<number>
  readonly chosen: Chosen
  has(id: string): boolean
  /** Chooses the row, or takes it out; with `isRange` all from the last one on become what that one is. */
  select(at: number, isRange: boolean): void
  clear(): void
}

interface Left {
  readonly cursor: number
  readonly chosen: Chosen | undefined
}

/** `left`: what was chosen when the page was left, where somebody comes back. */
export function useSelection(rows: readonly Row[], key: string, left: Left): Selection {
  const cursor = useSignal(left.cursor)
  const chosen = useSignal(left.chosen ?? nothing)
  const isFirst = useRef(true)
  /** The row that was chosen or taken out last. */
  const last = useSignal('')
  const clear = (): void => {
    chosen.value = nothing
    last.value = ''
  }
  useEffect(() => {
    if (!isFirst.current) {
      cursor.value = 0
      clear()
    }
    isFirst.current = false
  }, [key])
  const select = (at: number, isRange: boolean): void => {
    const row = rows[at]
    if (row === undefined) return
    const from = isRange ? rows.findIndex(({ id }) => id === last.value) : -1
    if (from < 0) chosen.value = isRange ? withRows(chosen.value, [row], true) : toggledRow(chosen.value, row)
    else {
      const range = rows.slice(Math.min(from, at), Math.max(from, at) + 1)
      chosen.value = withRows(chosen.value, range, isChosen(chosen.value, last.value))
    }
    last.value = row.id
  }
  useCommands({
    'list.select': () => select(cursor.value, false),
    'list.range': () => select(cursor.value, true),
    'list.all': () => {
      if (rows.length > 0) chosen.value = everything
    },
    back: clear,
  })
  return { cursor, chosen: chosen.value, has: (id) => isChosen(chosen.value, id), select, clear }
}
