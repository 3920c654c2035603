/**
 * A vote on all events that a query finds: counted first, given by the service as a task, taken back by its token.
 *
 * 1. What is voted on is what was counted: events that come later are not.
 * 2. The task goes on when the page is left. Its result is said as it is: what was given, what was not, and why.
 */
import { useSignal } from '@preact/signals'
import type { VoteTask, VotesPreview } from '../../../client/index.js'
import { Dialog, useFocus } from '../../parts/dialog.js'
import { Failed, Skeleton } from '../../parts/feedback.js'
import { Label } from '../../parts/label.js'
import { api, serviceField } from '../../state/api.js'
import { useData } from '../../state/data.js'
import { titleOf } from '../../state/events.js'
import type { ShownJob } from '../../state/jobs.js'
import { attempt } from '../../state/toasts.js'
import { follow } from '../../state/vote-tasks.js'
import { count, t } from '../../texts.js'
import { selectionBody, type View } from '../../first-requests.js'

type Meant = ReturnType<typeof selectionBody>

/** The events of a view without those that are not meant though it finds them. A range that moves is that of now. */
function meant(view: View, spared: readonly string[]): Meant {
  const others = { field: serviceField('event_id'), operator: 'is not one of', value: [...spared] }
  return selectionBody(view, spared.length === 0 ? [] : [others])
}

/** What was counted, and by what. */
interface Counted {
  readonly preview: VotesPreview
  readonly meant: Meant
}

interface BulkProps {
  readonly of: ShownJob
  readonly view: View
  /** The ids of events that the vote is not about, though the query finds them. */
  readonly spared: readonly string[]
  readonly label: string
  readonly close: () => void
  /** Called when the service has the task. */
  readonly given: () => void
}

function Progress({ task }: { readonly task: VoteTask }) {
  const done = task.voted + task.unchanged + task.superseded + task.gone + task.failed
  return (
    <label>
      {count('bulk.progress', done)}
      <progress value={done} max={Math.max(1, task.expected ?? done)} />
    </label>
  )
}

function Confirm({ of, label, close, given, preview, meant }: BulkProps & Counted) {
  const task = useSignal<VoteTask | null>(null)
  const isBusy = useSignal(false)
  const focused = useFocus<HTMLButtonElement>(preview.count > 0)
  const give = async (): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    const isGiven = await attempt(async () => {
      const body = { feedback: label, ...meant, until: preview.until }
      const begun = await api.voteByFilter({ job_id: of.job_id, body })
      if (begun.task === null) return
      given()
      task.value = begun.task
      await follow(begun.task, (now) => (task.value = now))
    })
    isBusy.value = false
    if (isGiven) close()
  }
  /** Ends the task early. What was given stays, and can be taken back. */
  const end = async (): Promise<void> => {
    const id = task.value?.task_id
    if (id !== undefined) await attempt(() => api.cancelVoteTask({ job_id: of.job_id, task_id: id }))
  }
  return (
    <div class="stack">
      <p>
        {count(preview.count_is_exact ? 'bulk.exact' : 'bulk.at_least', preview.count)} <Label of={of} label={label} />
      </p>
      <ul>
        {preview.sample.slice(0, 5).map((event) => (
          <li key={event.event_id} class="ellipsis bidi">
            {titleOf(event)}
          </li>
        ))}
      </ul>
      {task.value === null ? null : <Progress task={task.value} />}
      <div class="row">
        <button
          ref={focused}
          type="button"
          class="primary"
          disabled={isBusy.value || preview.count === 0}
          onClick={() => void give()}
        >
          {count('bulk.give', preview.count, { label })}
        </button>
        {isBusy.value && task.value !== null ? (
          <button type="button" onClick={() => void end()}>
            {t('bulk.end')}
          </button>
        ) : null}
        <button type="button" onClick={close}>
          {t(isBusy.value ? 'close' : 'cancel')}
        </button>
      </div>
    </div>
  )
}

export function BulkVote(props: BulkProps) {
  const { of, view, spared, label, close } = props
  const preview = useData(
    JSON.stringify([of.job_id, label, view.query, view.time]),
    async (signal): Promise<Counted> => {
      const events = meant(view, spared)
      const body = { feedback: label, ...events, dry_run: true }
      return { meant: events, preview: await api.voteByFilter({ job_id: of.job_id, body }, { signal }) }
    },
  )
  return (
    <Dialog title={t('bulk.title')} close={close}>
      {preview.error === null ? null : <Failed error={preview.error} retry={preview.reload} />}
      {preview.value === null ? (
        preview.error === null ? (
          <Skeleton lines={4} />
        ) : null
      ) : (
        <Confirm {...props} {...preview.value} />
      )}
    </Dialog>
  )
}
