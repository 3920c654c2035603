/** The ways out of a view: as a file of all that match, of what is selected, or on paper. */
import { addresses } from '../../addresses.js'
import { Icon } from '../../parts/icon.js'
import type { ShownJob } from '../../state/jobs.js'
import { printPage } from '../../state/printing.js'
import { attempt } from '../../state/toasts.js'
import { count, t } from '../../texts.js'
import { download, exportRows } from './export.js'
import { wireFilters, type Row, type View } from './source.js'

interface MenuProps {
  readonly of: ShownJob
  readonly view: View
  /** The selected rows. */
  readonly rows: readonly Row[]
}

/** The service sends the file; nothing of it is held by the page. */
function take(view: View, format: 'csv' | 'ndjson'): Promise<boolean> {
  return attempt(async () => {
    const filters = await wireFilters(view, new AbortController().signal)
    const query = new URLSearchParams({ format })
    if (filters.length > 0) query.set('filters', JSON.stringify(filters))
    download(addresses.eventFile(view.jobId, query.toString()), `events-${view.jobId}.${format}`)
  })
}

export function ExportMenu({ of, view, rows }: MenuProps) {
  return (
    <details class="menu right">
      <summary aria-label={t('events.export')}>
        <Icon name="download" /> <span class="narrow-hidden">{t('events.export')}</span>
      </summary>
      <nav class="menu-list" aria-label={t('events.export')}>
        {rows.length === 0 ? null : (
          <button type="button" onClick={() => exportRows(of, view, rows)}>
            {count('events.export.selected', rows.length)}
          </button>
        )}
        <button type="button" onClick={() => void take(view, 'csv')}>
          {t('events.export.csv')}
        </button>
        <button type="button" onClick={() => void take(view, 'ndjson')}>
          {t('events.export.ndjson')}
        </button>
        <button type="button" onClick={() => void printPage()}>
          {t('events.export.print')}
        </button>
      </nav>
    </details>
  )
}
