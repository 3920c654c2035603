/** The menu that chooses columns, and the names of all fields. */
import { useSignal } from '@preact/signals'
import { COLUMNS_MAX, type View } from '../../first-requests.js'
import { Icon } from '../../parts/icon.js'
import { api, serviceField } from '../../state/api.js'
import { useData } from '../../state/data.js'
import type { ShownJob } from '../../state/jobs.js'
import { t } from '../../texts.js'
import { columnName, columnsOf, FIRST } from './columns.js'

/** Names that are listed at once. */
const LISTED = 40

function listed(fields: readonly string[]): string {
  return fields.map(encodeURIComponent).join(',')
}

/** The names of all fields of a job's events, and of the service's, once somebody wants to see them. */
export function useFieldNames(jobId: number, isWanted: boolean): readonly string[] {
  const names = useData(isWanted ? `fields ${jobId}` : null, async (signal) =>
    (await api.listFilterFields({ body: { job_ids: [jobId] } }, { signal })).map(({ field_name: name }) => name),
  )
  return names.value ?? []
}

interface ColumnsProps {
  readonly of: ShownJob
  readonly view: View
  readonly show: (view: View) => void
}

/** The names that the menu lists: what is shown and what is usual, or what has the text in its name. */
function namesFor(text: string, { shown, usual, all }: Record<'shown' | 'usual' | 'all', readonly string[]>): string[] {
  const wanted = text.trim().toLowerCase()
  const known = [...new Set([...shown, ...usual, ...all])]
  if (wanted === '') return known.slice(0, Math.max(LISTED, shown.length + usual.length))
  return known.filter((name) => columnName(name).toLowerCase().includes(wanted)).slice(0, LISTED)
}

export function ColumnsMenu({ of, view, show }: ColumnsProps) {
  const isOpen = useSignal(false)
  const text = useSignal('')
  const all = useFieldNames(of.job_id, isOpen.value)
  const shown = columnsOf(of, view)
  const usual = [...of.features, serviceField('assigned'), serviceField('voter')]
  const names = namesFor(text.value, { shown, usual, all })
  const toggle = (field: string): void => {
    const next = shown.includes(field) ? shown.filter((one) => one !== field) : [...shown, field]
    const columns = listed(next)
    // No column at all is a choice as well: a name that no field has.
    show({ ...view, columns: columns === listed(of.features.slice(0, FIRST)) ? '' : columns || '-' })
  }
  return (
    <details class="menu right wide-only" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary aria-label={t('events.columns')} title={t('events.columns')}>
        <Icon name="columns-3" />
      </summary>
      <fieldset class="menu-list" aria-label={t('events.columns')}>
        <input
          type="search"
          aria-label={t('events.find_column')}
          placeholder={t('events.find_column')}
          spellcheck={false}
          onInput={({ currentTarget: { value } }) => (text.value = value)}
        />
        {names.map((field) => (
          <label key={field} class="inline">
            <input
              type="checkbox"
              checked={shown.includes(field)}
              disabled={!shown.includes(field) && shown.length >= COLUMNS_MAX}
              onChange={() => toggle(field)}
            />
            <span class="ellipsis bidi" title={columnName(field)}>
              {columnName(field)}
            </span>
          </label>
        ))}
        {names.length === 0 ? <p class="dim">{t('events.no_columns')}</p> : null}
        {shown.length >= COLUMNS_MAX ? <p class="dim">{t('events.columns_max', { n: COLUMNS_MAX })}</p> : null}
      </fieldset>
    </details>
  )
}
