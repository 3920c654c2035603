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
import { attempt, say } from '../../state/toasts.js'
import { votesTaken } from '../../state/votes.js'
import { count, t } from '../../texts.js'
import { wireFilters } from './view.js'
import type { View, WireFilter } from '../../first-requests.js'

const EVERY_MS = 500

/** What was counted, and by which filters. */
interface Counted {
  readonly preview: VotesPreview
  readonly filters: readonly WireFilter[]
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

async function wait(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}

/** The task when it has ended. `seen` is called with each state before. */
async function ended(jobId: number, taskId: string, seen: (task: VoteTask) => void): Promise<VoteTask> {
  for (;;) {
    const task = await api.getVoteTask({ job_id: jobId, task_id: taskId })
    seen(task)
    if (task.state !== 'running' && task.state !== 'undoing') return task
    await wait(EVERY_MS)
  }
}

async function takeBack(jobId: number, taskId: string, token: string): Promise<void> {
  await api.undoVoteTask({ job_id: jobId, task_id: taskId, body: { undo_token: token } })
  const { taken_back: n, kept } = await ended(jobId, taskId, () => {})
  votesTaken.value++
  say(count('bulk.undone', n, { kept }))
}

function tell(
  { job_id: jobId, task_id: taskId, voted, unchanged, gone, failed, label }: VoteTask,
  token: string | null,
): void {
  votesTaken.value++
  const rest = [
    unchanged === 0 ? '' : count('bulk.unchanged', unchanged),
    gone === 0 ? '' : count('bulk.gone', gone),
    failed === 0 ? '' : count('bulk.failed', failed),
  ]
  const text = [count('bulk.done', voted, { label }), ...rest.filter((one) => one !== '')].join(' ')
  say(text, token === null ? null : () => takeBack(jobId, taskId, token))
}

function Progress({ task }: { readonly task: VoteTask }) {
  const done = task.voted + task.unchanged + task.gone + task.failed
  return (
    <label>
      {count('bulk.progress', done)}
      <progress value={done} max={Math.max(1, task.expected ?? done)} />
    </label>
  )
}

function Confirm({ of, label, close, given, preview, filters }: BulkProps & Counted) {
  const task = useSignal<VoteTask | null>(null)
  const isBusy = useSignal(false)
  const focused = useFocus<HTMLButtonElement>(preview.count > 0)
  const give = async (): Promise<void> => {
    if (isBusy.value) return
    isBusy.value = true
    const isGiven = await attempt(async () => {
      const body = { feedback: label, filters: [...filters], until: preview.until }
      const begun = await api.voteByFilter({ job_id: of.job_id, body })
      if (begun.task === null) return
      given()
      task.value = begun.task
      tell(await ended(of.job_id, begun.task.task_id, (now) => (task.value = now)), begun.undo_token)
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
  const preview = useData(JSON.stringify([of.job_id, label, view.query]), async (signal): Promise<Counted> => {
    const others = { field: serviceField('event_id'), operator: 'is not one of', value: [...spared] }
    const filters = [...(await wireFilters(view, signal)), ...(spared.length === 0 ? [] : [others])]
    const body = { feedback: label, filters, dry_run: true }
    return { filters, preview: await api.voteByFilter({ job_id: of.job_id, body }, { signal }) }
  })
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
