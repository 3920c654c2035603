/** Selected events as CSV. It is loaded with the first file (download.ts). */
import { csvLine } from '../../../../engine/domain/event/input/csv-cell.js'
import type { Row } from './row.js'

/** The rows as CSV, with a line of heads. */
export function csvOf(columns: readonly string[], rows: readonly Row[]): string {
  const heads = ['event_id', 'time', 'title', 'decision', 'confidence', 'consensus', 'outlier', ...columns]
  const lines = rows.map(({ id, at, title, label, confidence, consensus, isOutlier, points }) =>
    csvLine([id, at, title, label, confidence, consensus, isOutlier, ...columns.map((field) => points[field])]),
  )
  return [csvLine(heads), ...lines].join('')
}
