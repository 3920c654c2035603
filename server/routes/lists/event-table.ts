/** Listed events as CSV, for people: a line of names, then one line for each event. */

import { cutText } from '../../../engine/index.js'

/** A spreadsheet continues a longer text in the next row. */
const CELL_CHARS_MAX = 32_767

/** What a table has of each event before its decision points: the column, and the field of a listed event. */
const own = [
  ['event_id', 'event_id'],
  ['time', '@timestamp'],
  ['title', 'title'],
  ['severity', 'severity'],
  ['decision', 'result_label'],
  ['confidence', 'confidence_score'],
  ['consensus', 'consensus'],
  ['outlier', 'outlier'],
] as const

/** What is used of a listed event. */
export type ListedEvent = Readonly<Record<string, unknown>> & {
  readonly decision_points: Readonly<Record<string, unknown>>
}

/** A spreadsheet takes what begins with one of these for a formula. */
const FORMULA = /^[=+\-@\t\r]/
/** A spreadsheet takes text without it for another encoding. */
const MARK = '\uFEFF'

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function cellOf(value: unknown): string {
  const text = cutText(textOf(value), CELL_CHARS_MAX)
  const safe = FORMULA.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function lineOf(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\r\n`
}

export function tableHead(columns: readonly string[]): string {
  return MARK + lineOf([...own.map(([name]) => name), ...columns])
}

export function tableLines(events: readonly ListedEvent[], columns: readonly string[]): string {
  return events
    .map((event) =>
      lineOf([...own.map(([, field]) => event[field]), ...columns.map((name) => event.decision_points[name])]),
    )
    .join('')
}
