/** Listed events as CSV, for people: a line of names, then one line for each event. */
import { csvLine } from '../../../engine/index.js'

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
  /** The values of the columns that were asked for. */
  readonly columns?: Readonly<Record<string, unknown>>
}

/** A spreadsheet takes text without it for another encoding. */
const MARK = '\uFEFF'

export function tableHead(columns: readonly string[]): string {
  return MARK + csvLine([...own.map(([name]) => name), ...columns])
}

export function tableLines(events: readonly ListedEvent[], columns: readonly string[]): string {
  return events
    .map((event) => {
      const values = event.columns ?? event.decision_points
      return csvLine([...own.map(([, field]) => event[field]), ...columns.map((name) => values[name])])
    })
    .join('')
}
