/** What can be done with the selected events, or with the one under the cursor by its key. */
import { useSignal } from '@preact/signals'
import { LabelMark } from '../../parts/label.js'
import { may } from '../../state/api.js'
import type { ShownJob } from '../../state/jobs.js'
import { useCommands } from '../../state/keys.js'
import { give, voted, votedKey } from '../../state/votes.js'
import { count, t } from '../../texts.js'
import { BulkVote } from './bulk.js'
import type { Selection } from './selection.js'
import type { Row, View } from './source.js'

interface BarProps {
  readonly of: ShownJob
  readonly rows: readonly Row[]
  readonly selection: Selection
  readonly view: View
  /** Events that the query finds, where it is known. */
  readonly total: number | null
}

export function SelectionBar({ of, rows, selection, view, total }: BarProps) {
  const mayVote = may('write:event_feedback')
  const bulk = useSignal<string | null>(null)
  const chosen = (): readonly Row[] => {
    if (selection.ids.size > 0) return rows.filter(({ id }) => selection.has(id))
    const row = rows[selection.cursor.value]
    return row === undefined ? [] : [row]
  }
  const vote = (at: number): void => {
    const label = of.labels[at]
    if (!mayVote || label === undefined) return
    if (selection.isAll) {
      bulk.value = label
      return
    }
    for (const { id } of chosen()) {
      const before = voted.value.get(votedKey(of.job_id, id))?.label ?? null
      give({ jobId: of.job_id, eventId: id, label, before, scope: 'event' })
    }
    selection.clear()
  }
  useCommands({ 'vote.1': () => vote(0), 'vote.2': () => vote(1), 'vote.3': () => vote(2) })
  if ((selection.ids.size === 0 && !selection.isAll) || !mayVote) return null
  const close = (): void => {
    bulk.value = null
    selection.clear()
  }
  return (
    <div class="selection" role="toolbar" aria-label={t('selection.title')}>
      <strong>
        {!selection.isAll
          ? count('selection', selection.ids.size)
          : total === null
            ? t('selection.all_unknown')
            : count('selection.all', total)}
      </strong>
      {of.styles.map(({ name }, at) => (
        <button key={name} type="button" onClick={() => vote(at)}>
          <kbd>{at + 1}</kbd>
          <LabelMark of={of} label={name} />
          {name}
        </button>
      ))}
      <span class="grow" />
      <button type="button" class="plain" onClick={selection.clear}>
        {t('selection.clear')}
      </button>
      {bulk.value === null ? null : <BulkVote of={of} view={view} label={bulk.value} close={close} />}
    </div>
  )
}
