/** What can be done with the selected events, or with the one under the cursor by its key. */
import { useSignal } from '@preact/signals'
import { Key } from '../../parts/keys.js'
import { LabelMark } from '../../parts/label.js'
import { latePart } from '../../parts/late.js'
import { NoteDialog } from '../../parts/note.js'
import { api, may, serviceField } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { assignToMe } from '../../state/handling.js'
import { draftOf } from '../../state/drafts.js'
import type { ShownJob } from '../../state/jobs.js'
import { runCommand, useCommands, voteCommands } from '../../state/keys.js'
import { say } from '../../state/toasts.js'
import { give } from '../../state/votes.js'
import { count, t } from '../../texts.js'
import { countOf, isNothing, rowsOf, type Chosen } from './chosen.js'
import { exportRows } from './download.js'
import type { Selection } from './selection.js'
import type { Row } from './row.js'
import type { View } from '../../first-requests.js'

const BulkVote = latePart(async () => (await import('../late.js')).BulkVote)

interface BarProps {
  readonly of: ShownJob
  readonly rows: readonly Row[]
  readonly selection: Selection
  readonly view: View
  /** Events that the query finds, where it is known. */
  readonly total: number | null
}

/** Values of this many different buckets are counted. */
const BUCKETS_MAX = 100
const PAUSE_MS = 150

/** Events that votes on these rows count for: all with the same values. Null: not known. */
function useReach(of: ShownJob, { isAllBut, rows }: Chosen): number | null {
  const buckets = [...new Set([...rows.values()].flatMap(({ bucketId }) => (bucketId === null ? [] : [bucketId])))]
  const isCounted = !isAllBut && buckets.length > 0 && buckets.length <= BUCKETS_MAX
  const key = isCounted ? `reach ${of.job_id} ${buckets.join()}` : null
  const reach = useData(key, async (signal) => {
    // Somebody may be choosing more rows.
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    signal.throwIfAborted()
    const filters = [{ field: serviceField('bucket_id'), operator: 'is one of', value: buckets }]
    const body = { job_ids: [of.job_id], filters, size: 1, count: true }
    return (await api.listEvents({ body }, { signal })).total_count
  })
  return isCounted ? reach.value : null
}

interface ChosenProps extends Pick<BarProps, 'of' | 'total'> {
  readonly chosen: Chosen
}

/** How many events are chosen, and for how many a vote on them counts. */
function Chosens({ of, chosen, total }: ChosenProps) {
  const reach = useReach(of, chosen)
  const n = chosen.rows.size
  if (!chosen.isAllBut)
    return (
      <strong>
        {count('selection', n)}
        {reach !== null && reach > n ? `, ${count('selection.reach', reach)}` : ''}
      </strong>
    )
  const left = countOf(chosen, total)
  if (n > 0)
    return (
      <strong>
        {count('selection.all_but', n)}
        {left === null ? '' : ` (${count('events.found', left)})`}
      </strong>
    )
  return <strong>{total === null ? t('selection.all_unknown') : count('selection.all', total)}</strong>
}

export function SelectionBar({ of, rows, selection, view, total }: BarProps) {
  const mayVote = may('write:event_feedback')
  const bulk = useSignal<{ readonly label: string; readonly spared: readonly string[] } | null>(null)
  const noting = useSignal<readonly string[] | null>(draftOf(of.job_id)?.eventIds ?? null)
  const { chosen } = selection
  /** The rows that an action is about; null: events that are not loaded are among them. */
  const chosenRows = (): readonly Row[] | null => {
    if (!isNothing(chosen)) return rowsOf(chosen, rows, total)
    const row = rows[selection.cursor.value]
    return row === undefined ? [] : [row]
  }
  const vote = (at: number): void => {
    const label = of.onKeys[at]?.name
    if (!mayVote || label === undefined) return
    // However few they are: what is not picked by hand is counted before.
    const picked = chosen.isAllBut ? null : chosenRows()
    if (picked === null) {
      bulk.value = { label, spared: [...chosen.rows.keys()] }
      return
    }
    const subjects = picked.map(({ id, title }) => ({ eventId: id, title }))
    if (subjects.length > 0) give(of.job_id, label, subjects)
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
          <Chosens of={of} chosen={chosen} total={total} />
          {of.onKeys.map(({ name }, at) => (
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
