/** Tables: aligned and cut to the window on a terminal, else one line a row with tabs between the cells. */
import { cutBefore } from '../../../engine/domain/event/input/cut-text.js'
import { cleanLine } from './clean.js'

export interface Column<T> {
  readonly title: string
  readonly of: (row: T) => string | number | boolean | null | undefined
}

/** Columns between cells. */
const GAP = 2
/** A cell is not cut below this width. */
const CELL_MIN = 8

function textOf(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : cleanLine(String(value))
}

function cut(text: string, width: number): string {
  const characters = [...text]
  if (characters.length <= width) return text
  const { length } = characters.slice(0, width - 1).join('')
  return `${text.slice(0, cutBefore(text, length))}…`
}

/** Widths that fit: the widest column gives way first. */
function fitted(widths: number[], room: number): number[] {
  const fit = [...widths]
  let over = fit.reduce((sum, width) => sum + width + GAP, -GAP) - room
  while (over > 0) {
    const widest = Math.max(...fit)
    if (widest <= CELL_MIN) return fit
    fit[fit.indexOf(widest)] = widest - 1
    over--
  }
  return fit
}

/** `columns` is the width of the terminal; null where the output is none. */
export function tableText<T>(columns: readonly Column<T>[], rows: readonly T[], width: number | null): string {
  const cells = rows.map((row) => columns.map((column) => textOf(column.of(row))))
  const titles = columns.map(({ title }) => title)
  if (width === null) return [titles, ...cells].map((row) => `${row.join('\t')}\n`).join('')
  const widths = fitted(
    titles.map((title, at) => Math.max(title.length, ...cells.map((row) => [...row[at]!].length))),
    width,
  )
  const isNumber = columns.map((column) => rows.length > 0 && rows.every((row) => typeof column.of(row) === 'number'))
  const line = (row: readonly string[]): string => {
    const padded = row.map((cell, at) => {
      const text = cut(cell, widths[at]!)
      const pad = ' '.repeat(widths[at]! - [...text].length)
      return isNumber[at] === true ? pad + text : text + pad
    })
    return `${padded.join(' '.repeat(GAP)).trimEnd()}\n`
  }
  return [titles.map((title) => title.toUpperCase()), ...cells].map(line).join('')
}

/** Names and values below each other. */
export function factsText(facts: readonly (readonly [string, string | number | boolean | null | undefined])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length))
  return facts.map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${textOf(value)}`.trimEnd()).join('\n')
}
