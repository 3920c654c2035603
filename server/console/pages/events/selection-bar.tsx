/** What can be done with the selected events, or with the one under the cursor by its key. */
import { useSignal } from '@preact/signals'
import { Key } from '../../parts/keys.js'
import { LabelMark } from '../../parts/label.js'
import { NoteDialog } from '../../parts/note.js'
import { may } from '../../state/api.js'
import { assignToMe } from '../../state/handling.js'
import type { ShownJob } from '../../state/jobs.js'
import { runCommand, useCommands, voteCommands } from '../../state/keys.js'
import { say } from '../../state/toasts.js'
import { give, voted, votedKey } from '../../state/votes.js'
import { count, t } from '../../texts.js'
import { BulkVote } from './bulk.js'
import { exportRows } from './export.js'
import type { Selection } from './selection.js'
import type { Row } from './source.js'
import type { View } from '../../first-requests.js'

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
  const noting = useSignal<readonly string[] | null>(null)
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
  const ids = (): string[] => chosen().map(({ id }) => id)
  const assign = (): void => {
    if (selection.isAll) return say(t('selection.too_many'))
    void assignToMe(of.job_id, ids())
  }
  const note = (): void => {
    if (selection.isAll) return say(t('selection.too_many'))
    if (ids().length > 0) noting.value = ids()
  }
  useCommands({
    'vote.1': () => vote(0),
    'vote.2': () => vote(1),
    'vote.3': () => vote(2),
    ...(mayVote ? { assign, note } : {}),
  })
  const noteDialog =
    noting.value === null ? null : (
      <NoteDialog jobId={of.job_id} eventIds={noting.value} close={() => (noting.value = null)} />
    )
  if ((selection.ids.size === 0 && !selection.isAll) || !mayVote) return noteDialog
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
          <Key of={voteCommands[at] ?? 'vote.1'} />
          <LabelMark of={of} label={name} />
          {name}
        </button>
      ))}
      {selection.isAll ? null : (
        <>
          <button type="button" onClick={assign}>
            <Key of="assign" /> {t('selection.assign')}
          </button>
          <button type="button" onClick={note}>
            <Key of="note" /> {t('key.note')}
          </button>
          <button type="button" onClick={() => exportRows(of, view, chosen())}>
            {t('events.export')}
          </button>
        </>
      )}
      <span class="grow" />
      {selection.isAll ? null : (
        <button type="button" class="plain" onClick={() => runCommand('list.all')}>
          <Key of="list.all" /> {total === null ? t('selection.select_all') : count('selection.select', total)}
        </button>
      )}
      <button type="button" class="plain" onClick={selection.clear}>
        {t('selection.clear')}
      </button>
      {noteDialog}
      {bulk.value === null ? null : <BulkVote of={of} view={view} label={bulk.value} close={close} />}
    </div>
  )
}
