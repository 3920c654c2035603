/** Selected events as CSV. It is loaded with the first file (download.ts). */
import { csvLine } from '../../../../engine/domain/event/input/csv-cell.js'
import type { Row } from './row.js'

/** The rows as CSV, with a line of heads. `names`: of the columns, as they are shown. */
export function csvOf(columns: readonly string[], rows: readonly Row[], names = columns): string {
  const heads = ['event_id', 'time', 'title', 'decision', 'confidence', 'consensus', 'outlier', ...names]
  const lines = rows.map(({ id, at, title, label, confidence, consensus, isOutlier, values }) =>
    csvLine([id, at, title, label, confidence, consensus, isOutlier, ...columns.map((field) => values[field])]),
  )
  return [csvLine(heads), ...lines].join('')
}
