/** Selected events as a file. Whole views are files of the service (addresses.eventFile). */
import { part } from '../../parts/late.js'
import type { ShownJob } from '../../state/jobs.js'
import { attempt } from '../../state/toasts.js'
import { columnName, columnsOf } from './columns.js'
import type { Row } from './row.js'
import type { View } from '../../first-requests.js'

/** Gives a file to the browser. */
export function download(address: string, name: string): void {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}

/** Gives a text to the browser as a file of CSV. */
export function downloadCsv(parts: string[], name: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }))
  download(url, name)
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

export async function exportRows(of: ShownJob, view: View, rows: readonly Row[]): Promise<void> {
  await attempt(async () => {
    const { csvOf } = await part(() => import('./export.js'))
    const columns = columnsOf(of, view)
    downloadCsv([csvOf(columns, rows, columns.map(columnName))], `events-${view.jobId}.csv`)
  })
}
