/** The ways out of a view: as a file of all that match, of what is selected, or on paper. */
import { addresses } from '../../addresses.js'
import { Icon } from '../../parts/icon.js'
import { serviceField } from '../../state/api.js'
import { useData } from '../../state/data.js'
import type { ShownJob } from '../../state/jobs.js'
import { printPage } from '../../state/printing.js'
import { count, t } from '../../texts.js'
import type { Chosen } from './chosen.js'
import { exportRows } from './download.js'
import { wireFilters } from './view.js'
import type { View, WireFilter } from '../../first-requests.js'

interface MenuProps {
  readonly of: ShownJob
  readonly view: View
  readonly chosen: Chosen
}

/** The most that an address may have: what a request's head may have, less its other headers. */
const ADDRESS_LENGTH_MAX = 3_000

/** The service sends the file; nothing of it is held by the page. Null: the view's filters do not fit in an address. */
function fileOf(view: View, filters: readonly WireFilter[], format: 'csv' | 'ndjson'): string | null {
  const query = new URLSearchParams({ format })
  if (filters.length > 0) query.set('filters', JSON.stringify(filters))
  const address = addresses.eventFile(view.jobId, query.toString())
  return address.length > ADDRESS_LENGTH_MAX ? null : address
}

const formats = ['csv', 'ndjson'] as const

export function ExportMenu({ of, view, chosen }: MenuProps) {
  const found = useData(`${view.jobId} ${view.time} ${view.query}`, async (signal) => wireFilters(view, signal)).value
  const rows = [...chosen.rows.values()]
  const isSparing = chosen.isAllBut && rows.length > 0
  // What was taken out of "all that match" is not in their file.
  const others = { field: serviceField('event_id'), operator: 'is not one of', value: rows.map(({ id }) => id) }
  const filters = found === null || !isSparing ? found : [...found, others]
  return (
    <details class="menu right">
      <summary aria-label={t('events.export')}>
        <Icon name="download" /> <span class="narrow-hidden">{t('events.export')}</span>
      </summary>
      <nav class="menu-list" aria-label={t('events.export')}>
        {rows.length === 0 || chosen.isAllBut ? null : (
          <button type="button" onClick={() => exportRows(of, view, rows)}>
            {count('events.export.selected', rows.length)}
          </button>
        )}
        {formats.map((format) => {
          const address = filters === null ? null : fileOf(view, filters, format)
          return address === null ? null : (
            <a key={format} href={address} download>
              {t(`events.export.${format}`)}
              {isSparing ? ` (${count('selection.all_but', rows.length)})` : ''}
            </a>
          )
        })}
        {filters === null || fileOf(view, filters, 'ndjson') !== null ? null : (
          <p class="dim">{t('events.export.too_long')}</p>
        )}
        <button type="button" onClick={() => void printPage()}>
          {t('events.export.print')}
        </button>
      </nav>
    </details>
  )
}
