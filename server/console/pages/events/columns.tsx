/** The columns of the list: which decision points are shown. They are part of the address, and so of named views. */
import { Icon } from '../../parts/icon.js'
import type { ShownJob } from '../../state/jobs.js'
import { t } from '../../texts.js'
import type { View } from '../../first-requests.js'

/** So many are shown where nobody has chosen. */
const FIRST = 3
/** More do not fit on a line. */
const COLUMNS_MAX = 6

function listed(fields: readonly string[]): string {
  return fields.map(encodeURIComponent).join(',')
}

/** The decision points that a view shows, in the order of the job. A name that the job does not have is left out. */
export function columnsOf(of: ShownJob, view: View): readonly string[] {
  if (view.columns === '') return of.features.slice(0, FIRST)
  const chosen = new Set(view.columns.split(',').map(decoded))
  return of.features.filter((field) => chosen.has(field)).slice(0, COLUMNS_MAX)
}

/** An address may have been cut or changed on its way. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

interface ColumnsProps {
  readonly of: ShownJob
  readonly view: View
  readonly show: (view: View) => void
}

export function ColumnsMenu({ of, view, show }: ColumnsProps) {
  const shown = columnsOf(of, view)
  const toggle = (field: string): void => {
    const next = of.features.filter((one) => (one === field) !== shown.includes(one))
    const columns = listed(next)
    // No column at all is a choice as well: a name that no field has.
    show({ ...view, columns: columns === listed(of.features.slice(0, FIRST)) ? '' : columns || '-' })
  }
  return (
    <details class="menu right wide-only">
      <summary aria-label={t('events.columns')} title={t('events.columns')}>
        <Icon name="columns-3" />
      </summary>
      <fieldset class="menu-list" aria-label={t('events.columns')}>
        {of.features.map((field) => (
          <label key={field} class="inline">
            <input
              type="checkbox"
              checked={shown.includes(field)}
              disabled={!shown.includes(field) && shown.length >= COLUMNS_MAX}
              onChange={() => toggle(field)}
            />
            <span class="ellipsis bidi">{field}</span>
          </label>
        ))}
        {of.features.length === 0 ? <p class="dim">{t('events.no_columns')}</p> : null}
        {shown.length >= COLUMNS_MAX ? <p class="dim">{t('events.columns_max', { n: COLUMNS_MAX })}</p> : null}
      </fieldset>
    </details>
  )
}

/** The names above the rows. Screen readers hear the values with their names, row by row. */
export function ColumnHeads({
  columns,
  isTicked,
  isByArrival,
}: {
  readonly columns: readonly string[]
  readonly isTicked: boolean
  readonly isByArrival: boolean
}) {
  return (
    <div class="list-heads" aria-hidden="true">
      {isTicked ? <span class="tick-space" /> : null}
      <span class="decided">{t('events.head.decision')}</span>
      <span class="title">{t('events.head.title')}</span>
      {columns.map((field) => (
        <span key={field} class="value ellipsis bidi" title={field}>
          {field}
        </span>
      ))}
      <span class="marks" />
      <span class="when">{t(isByArrival ? 'events.head.arrived' : 'events.head.when')}</span>
    </div>
  )
}
