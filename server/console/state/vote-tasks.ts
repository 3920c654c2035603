/** Votes on many events as tasks of the service: waiting for their end, and taking them back. */
import type { VoteTask } from '../../client/index.js'
import { count } from '../texts.js'
import { api } from './api.js'
import { done, keepKind, say, type Step } from './toasts.js'
import { votesTaken } from './votes.js'

const EVERY_MS = 500

export const isRunning = ({ state }: VoteTask): boolean => state === 'running' || state === 'undoing'

/** The task when it has ended. `seen` is called with each state before. */
export async function ended(
  jobId: number,
  taskId: string,
  seen: (task: VoteTask) => void = () => {},
): Promise<VoteTask> {
  for (;;) {
    const task = await api.getVoteTask({ job_id: jobId, task_id: taskId })
    seen(task)
    if (!isRunning(task)) return task
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
}

/** Takes the votes of a task back: what was voted before stands again. */
export async function takeBackTask(jobId: number, taskId: string): Promise<void> {
  await api.undoVoteTask({ job_id: jobId, task_id: taskId, body: {} })
  const { taken_back: n, kept } = await ended(jobId, taskId)
  votesTaken.value++
  const text = count('bulk.undone', n)
  say(kept === 0 ? text : `${text} ${count('vote.undone_kept', kept)}`)
}

interface Kept {
  readonly jobId: number
  readonly taskId: string
}

/** The step of a task, which outlives the page. */
function stepOfTask(data: Kept): Step {
  return { kept: { kind: 'task', data }, back: () => takeBackTask(data.jobId, data.taskId) }
}

keepKind('task', stepOfTask)

/** What a task did, in words. */
export function resultOf({ voted, unchanged, superseded, gone, failed, label }: VoteTask): string {
  const rest = [
    unchanged === 0 ? '' : count('bulk.unchanged', unchanged),
    superseded === 0 ? '' : count('bulk.superseded', superseded),
    gone === 0 ? '' : count('bulk.gone', gone),
    failed === 0 ? '' : count('bulk.failed', failed),
  ]
  return [count('bulk.done', voted, { label }), ...rest].filter((one) => one !== '').join(' ')
}

/** Begins to vote, and says what came of it. The step is in the journal from the begin on. */
export async function follow(task: VoteTask, seen: (task: VoteTask) => void): Promise<void> {
  const step = stepOfTask({ jobId: task.job_id, taskId: task.task_id })
  done(step)
  const last = await ended(task.job_id, task.task_id, seen)
  votesTaken.value++
  if (last.state === 'finished' || last.state === 'cancelled') say(resultOf(last), step)
}
