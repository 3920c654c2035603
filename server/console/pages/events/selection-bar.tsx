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
import { countOf, isNothing, rowsOf } from './chosen.js'
import { exportRows } from './export.js'
import type { Selection } from './selection.js'
import type { Row } from './row.js'
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
  const bulk = useSignal<{ readonly label: string; readonly spared: readonly string[] } | null>(null)
  const noting = useSignal<readonly string[] | null>(null)
  const { chosen } = selection
  /** The rows that an action is about; null: events that are not loaded are among them. */
  const chosenRows = (): readonly Row[] | null => {
    if (!isNothing(chosen)) return rowsOf(chosen, rows, total)
    const row = rows[selection.cursor.value]
    return row === undefined ? [] : [row]
  }
  const vote = (at: number): void => {
    const label = of.labels[at]
    if (!mayVote || label === undefined) return
    // However few they are: what is not picked by hand is counted before.
    const picked = chosen.isAllBut ? null : chosenRows()
    if (picked === null) {
      bulk.value = { label, spared: [...chosen.rows.keys()] }
      return
    }
    for (const { id } of picked) {
      const before = voted.value.get(votedKey(of.job_id, id))?.label ?? null
      give({ jobId: of.job_id, eventId: id, label, before, scope: 'event' })
    }
    selection.clear()
  }
  /** Does something with single events, if they are known. */
  const withEach = (act: (rows: readonly Row[]) => unknown): void => {
    const picked = chosenRows()
    if (picked === null) return say(t('selection.too_many'))
    if (picked.length > 0) act(picked)
  }
  const idsOf = (picked: readonly Row[]): string[] => picked.map(({ id }) => id)
  const assign = (): void => withEach((picked) => assignToMe(of.job_id, idsOf(picked)))
  const note = (): void => withEach((picked) => (noting.value = idsOf(picked)))
  useCommands({
    'vote.1': () => vote(0),
    'vote.2': () => vote(1),
    'vote.3': () => vote(2),
    ...(mayVote ? { assign, note } : {}),
  })
  const n = countOf(chosen, total)
  return (
    <>
      {noting.value === null ? null : (
        <NoteDialog jobId={of.job_id} eventIds={noting.value} close={() => (noting.value = null)} />
      )}
      {bulk.value === null ? null : (
        <BulkVote of={of} view={view} {...bulk.value} close={() => (bulk.value = null)} given={selection.clear} />
      )}
      {isNothing(chosen) || !mayVote ? null : (
        <div class="selection" role="toolbar" aria-label={t('selection.title')}>
          <strong>
            {!chosen.isAllBut
              ? count('selection', chosen.rows.size)
              : chosen.rows.size > 0
                ? count('selection.all_but', chosen.rows.size)
                : total === null
                  ? t('selection.all_unknown')
                  : count('selection.all', total)}
            {chosen.isAllBut && chosen.rows.size > 0 && n !== null ? ` (${count('events.found', n)})` : ''}
          </strong>
          {of.styles.map(({ name }, at) => (
            <button key={name} type="button" onClick={() => vote(at)}>
              <Key of={voteCommands[at] ?? 'vote.1'} />
              <LabelMark of={of} label={name} />
              {name}
            </button>
          ))}
          {rowsOf(chosen, rows, total) === null ? null : (
            <>
              <button type="button" onClick={assign}>
                <Key of="assign" /> {t('selection.assign')}
              </button>
              <button type="button" onClick={note}>
                <Key of="note" /> {t('key.note')}
              </button>
              <button type="button" onClick={() => withEach((picked) => exportRows(of, view, picked))}>
                {t('events.export')}
              </button>
            </>
          )}
          <span class="grow" />
          {chosen.isAllBut && chosen.rows.size === 0 ? null : (
            <button type="button" class="plain" onClick={() => runCommand('list.all')}>
              <Key of="list.all" /> {total === null ? t('selection.select_all') : count('selection.select', total)}
            </button>
          )}
          <button type="button" class="plain" onClick={selection.clear}>
            {t('selection.clear')}
          </button>
        </div>
      )}
    </>
  )
}
