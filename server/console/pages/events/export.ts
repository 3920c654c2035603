/** Selected events as a file. Whole views are files of the service (addresses.eventFile). */
import { csvLine } from '../../../../engine/domain/event/input/csv-cell.js'
import type { ShownJob } from '../../state/jobs.js'
import { columnsOf } from './columns.js'
import type { Row } from './row.js'
import type { View } from '../../first-requests.js'

/** The rows as CSV, with a line of heads. */
export function csvOf(columns: readonly string[], rows: readonly Row[]): string {
  const heads = ['event_id', 'time', 'title', 'decision', 'confidence', 'consensus', 'outlier', ...columns]
  const lines = rows.map(({ id, at, title, label, confidence, consensus, isOutlier, points }) =>
    csvLine([id, at, title, label, confidence, consensus, isOutlier, ...columns.map((field) => points[field])]),
  )
  return [csvLine(heads), ...lines].join('')
}

/** Gives a file to the browser. */
export function download(address: string, name: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}

export function exportRows(of: ShownJob, view: View, rows: readonly Row[]): void {
  const url = URL.createObjectURL(new Blob([csvOf(columnsOf(of, view), rows)], { type: 'text/csv' }))
  download(url, `events-${view.jobId}.csv`)
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
