/** The ways out of a view: as a file of all that match, of what is selected, or on paper. */
import { addresses } from '../../addresses.js'
import { Icon } from '../../parts/icon.js'
import { useData } from '../../state/data.js'
import type { ShownJob } from '../../state/jobs.js'
import { printPage } from '../../state/printing.js'
import { count, t } from '../../texts.js'
import { exportRows } from './export.js'
import { wireFilters, type Row, type View, type WireFilter } from './source.js'

interface MenuProps {
  readonly of: ShownJob
  readonly view: View
  /** The selected rows. */
  readonly rows: readonly Row[]
}

/** The service sends the file; nothing of it is held by the page. */
function fileOf({ jobId }: View, filters: readonly WireFilter[], format: 'csv' | 'ndjson'): string {
  const query = new URLSearchParams({ format })
  if (filters.length > 0) query.set('filters', JSON.stringify(filters))
  return addresses.eventFile(jobId, query.toString())
}

/** Longer addresses are refused. Views of many assigned events have them, since they name each event. */
const ADDRESS_CHARS_MAX = 6_000

export function ExportMenu({ of, view, rows }: MenuProps) {
  const { value: filters } = useData(JSON.stringify(view), (signal) => wireFilters(view, signal))
  const isLong = filters !== null && fileOf(view, filters, 'ndjson').length > ADDRESS_CHARS_MAX
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
        {filters === null ? null : isLong ? (
          <p class="dim">{t('events.export.too_long')}</p>
        ) : (
          <>
            <a href={fileOf(view, filters, 'csv')} download>
              {t('events.export.csv')}
            </a>
            <a href={fileOf(view, filters, 'ndjson')} download>
              {t('events.export.ndjson')}
            </a>
          </>
        )}
        <button type="button" onClick={() => void printPage()}>
          {t('events.export.print')}
        </button>
      </nav>
    </details>
  )
}
