/** The ways out of a view: as a file of all that match, of what is selected, or on paper. */
import { addresses } from '../../addresses.js'
import { Icon } from '../../parts/icon.js'
import { serviceField } from '../../state/api.js'
import type { ShownJob } from '../../state/jobs.js'
import { printPage } from '../../state/printing.js'
import { count, t } from '../../texts.js'
import type { Chosen } from './chosen.js'
import { exportRows } from './download.js'
import { chosenColumns, selectionBody, type View } from '../../first-requests.js'

interface MenuProps {
  readonly of: ShownJob
  readonly view: View
  readonly chosen: Chosen
}

/** The most that an address may have: what a request's head may have, less its other headers. */
const ADDRESS_LENGTH_MAX = 3_000

interface Meant {
  readonly spared: readonly string[]
  /** Those that were chosen; null: those of the service. */
  readonly columns: readonly string[] | null
}

/** The service sends the file; nothing of it is held by the page. Null: what it has does not fit in an address. */
function fileOf(view: View, { spared, columns }: Meant, format: 'csv' | 'ndjson'): string | null {
  const query = new URLSearchParams({ format })
  if (columns !== null) query.set('columns', JSON.stringify(columns))
  const others = { field: serviceField('event_id'), operator: 'is not one of', value: [...spared] }
  const events = selectionBody(view, spared.length === 0 ? [] : [others])
  if (events.query !== undefined) query.set('query', events.query)
  if (events.filters !== undefined) query.set('filters', JSON.stringify(events.filters))
  const address = addresses.eventFile(view.jobId, query.toString())
  return address.length > ADDRESS_LENGTH_MAX ? null : address
}

const formats = ['csv', 'ndjson'] as const

export function ExportMenu({ of, view, chosen }: MenuProps) {
  const rows = [...chosen.rows.values()]
  // What was taken out of "all that match" is not in their file.
  const spared = chosen.isAllBut ? rows.map(({ id }) => id) : []
  const meant = { spared, columns: chosenColumns(view) }
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
          const address = fileOf(view, meant, format)
          return address === null ? null : (
            <a key={format} href={address} download>
              {t(`events.export.${format}`)}
              {spared.length > 0 ? ` (${count('selection.all_but', rows.length)})` : ''}
            </a>
          )
        })}
        {fileOf(view, meant, 'ndjson') !== null ? null : <p class="dim">{t('events.export.too_long')}</p>}
        <button type="button" onClick={() => void printPage()}>
          {t('events.export.print')}
        </button>
      </nav>
    </details>
  )
}
