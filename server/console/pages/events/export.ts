/** Selected events as a file. Whole views are files of the service (addresses.eventFile). */
import type { ShownJob } from '../../state/jobs.js'
import { valueText } from '../../state/events.js'
import type { Row, View } from './source.js'

/** A spreadsheet takes what begins with one of these for a formula. */
const FORMULA = /^[=+\-@\t\r]/

function cell(value: unknown): string {
  const text = value === null || value === undefined ? '' : valueText(value)
  const safe = FORMULA.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The rows as CSV, with a line of heads. */
export function csvOf(of: ShownJob, rows: readonly Row[]): string {
  const columns = of.features.slice(0, rows[0]?.values.length ?? 0)
  const heads = ['event_id', 'time', 'title', 'decision', 'confidence', 'consensus', 'outlier', ...columns]
  const lines = rows.map(({ id, at, title, label, confidence, consensus, isOutlier, values }) =>
    [id, at, title, label, confidence, consensus, isOutlier, ...values].map(cell).join(','),
  )
  return `${[heads.map(cell).join(','), ...lines].join('\r\n')}\r\n`
}

/** Gives the file to the browser. */
export function exportRows(of: ShownJob, view: View, rows: readonly Row[]): void {
  const url = URL.createObjectURL(new Blob([csvOf(of, rows)], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `events-${view.jobId}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
