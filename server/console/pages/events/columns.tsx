/**
 * The columns of the list: any fields of the events, and fields of the service. They are part of the address, and so of
 * named views, and of what is exported.
 */
import { chosenColumns, type View } from '../../first-requests.js'
import type { ShownJob } from '../../state/jobs.js'
import { t } from '../../texts.js'
import { serviceName } from './view.js'

/** So many are shown where nobody has chosen. */
export const FIRST = 3

/** The fields that a view shows. */
export function columnsOf(of: ShownJob, view: View): readonly string[] {
  return chosenColumns(view) ?? of.features.slice(0, FIRST)
}

/** A field as it is shown: those of the service are without its name. */
export function columnName(field: string): string {
  const prefix = `${serviceName()}.`
  return field.startsWith(prefix) ? field.slice(prefix.length) : field
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
        <span key={field} class="value ellipsis bidi" title={columnName(field)}>
          {columnName(field)}
        </span>
      ))}
      <span class="marks" />
      <span class="when">{t(isByArrival ? 'events.head.arrived' : 'events.head.when')}</span>
    </div>
  )
}
