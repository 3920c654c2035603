/** An event on one line. */
import { Icon } from '../../parts/icon.js'
import { Decision, LabelMark } from '../../parts/label.js'
import { Time } from '../../parts/time.js'
import { serviceField } from '../../state/api.js'
import { valueText } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { assignees } from '../../state/handling.js'
import { saidSince, subjectKey } from '../../state/said.js'
import { voted, votedKey } from '../../state/votes.js'
import { t } from '../../texts.js'
import { columnName } from './columns.js'
import type { Row } from './row.js'

const VALUE_SHOWN = 200

function Value({ field, value }: { readonly field: string; readonly value: unknown }) {
  const text = valueText(value).slice(0, VALUE_SHOWN)
  return (
    <span class="value ellipsis bidi" title={`${columnName(field)}: ${text}`}>
      {text}
    </span>
  )
}

interface LineProps {
  readonly of: ShownJob
  readonly row: Row
  /** The names of the row's values. */
  readonly columns: readonly string[]
}

/** The values of a row with their names, for screen readers: the names stand above the list. */
export function valuesOf(row: Row, columns: readonly string[]): string {
  return columns
    .map((field) => `${columnName(field)}: ${valueText(row.values[field]).slice(0, VALUE_SHOWN)}`)
    .join(', ')
}

export function Line({ of, row, columns }: LineProps) {
  const own = voted.value.get(votedKey(of.job_id, row.id))
  const said = saidSince.value.get(subjectKey(of.job_id, row.bucketId, row.id))
  const assignee = assignees.value.get(row.id)
  // The tick of a vote is there at once. The service says what people agree on with it.
  const agreed = said === undefined ? row.consensus : said.consensus
  const consensus = own?.state === 'waiting' ? (own.label ?? agreed) : agreed
  return (
    <>
      <span class="decided ellipsis">
        <Decision of={of} event={{ status: row.status, result_label: row.label, confidence_score: row.confidence }} />
      </span>
      <span class="title ellipsis bidi">{row.title}</span>
      {columns.map((field) => (
        <Value key={field} field={field} value={field === serviceField('assigned') ? assignee : row.values[field]} />
      ))}
      <span class="marks">
        {assignee === undefined ? null : (
          <span class="tag" title={t('assign.has', { name: assignee })}>
            <Icon name="user-check" />
            <span class="ellipsis bidi">{assignee}</span>
          </span>
        )}
        {row.isOutlier ? (
          <span title={t('events.outlier')}>
            <Icon name="triangle-alert" class="warn" />
            <span class="hidden">{t('events.outlier')}</span>
          </span>
        ) : null}
        {consensus == null ? null : (
          <span class="label" title={t('events.consensus', { label: consensus })}>
            <Icon name="check" class="good" />
            <LabelMark of={of} label={consensus} />
            <span class="hidden">{t('events.consensus', { label: consensus })}</span>
          </span>
        )}
      </span>
      <span class="when">
        <Time at={row.at} />
      </span>
    </>
  )
}
