/** Tools that run jobs: start, stop, train, reprocess; and the one that deletes events. */
import { Type } from 'typebox'
import { Exact } from '../../schemas/common.js'
import type { Client, EventsQuery } from '../../client/index.js'
import { InvalidCall, writeTool, type Tool } from '../tool.js'
import { counted, EventId, JobId, selection, selectionOf } from './fields.js'

const oneJob = Exact({ job_id: JobId })

const start = writeTool({
  name: 'start',
  title: 'Start a job',
  description: 'Starts a stopped job. The events that it held are decided.',
  operations: ['getManagedJob', 'startManagedJob'],
  scopes: ['execute:job_operations'],
  input: oneJob,
  isDestructive: false,
  isIdempotent: true,
  async plan({ client, input: { job_id } }) {
    const { status } = await client.getManagedJob({ job_id })
    if (status === 'STARTED') return { count: 0, effect: `Job ${job_id} is started already.`, isVoid: true }
    return { count: 1, effect: `Starts job ${job_id} and decides the events that it holds.` }
  },
  async act({ client, input: { job_id } }) {
    await client.startManagedJob({ job_id })
    return { effect: `Job ${job_id} is started.` }
  },
})

const stop = writeTool({
  name: 'stop',
  title: 'Stop a job',
  description: 'Stops a job. It takes events and holds them undecided until it is started.',
  operations: ['getManagedJob', 'stopManagedJob'],
  scopes: ['execute:job_operations'],
  input: oneJob,
  isDestructive: false,
  isIdempotent: true,
  async plan({ client, input: { job_id } }) {
    const { status } = await client.getManagedJob({ job_id })
    if (status === 'STOPPED') return { count: 0, effect: `Job ${job_id} is stopped already.`, isVoid: true }
    return { count: 1, effect: `Stops job ${job_id}: new events wait undecided.` }
  },
  async act({ client, input: { job_id } }) {
    await client.stopManagedJob({ job_id })
    return { effect: `Job ${job_id} is stopped.` }
  },
})

const train = writeTool({
  name: 'train',
  title: 'Train a job',
  description: 'Trains a new model on the votes so far. It takes over when it is ready; get_job shows how far it is.',
  operations: ['getManagedJob', 'trainManagedJob'],
  scopes: ['execute:job_operations'],
  input: oneJob,
  isDestructive: false,
  isIdempotent: false,
  async plan({ client, input: { job_id } }) {
    const { feedback_documents_count: voted } = await client.getManagedJob({ job_id })
    return { count: voted, effect: `Trains job ${job_id} on ${counted(voted, 'voted event')}.` }
  },
  async act({ client, input: { job_id } }) {
    await client.trainManagedJob({ job_id })
    return { effect: `The training of job ${job_id} is queued.` }
  },
})

interface Selected extends Pick<EventsQuery, 'start_date' | 'end_date' | 'date_field' | 'filters' | 'query'> {
  readonly job_id: number
}

/** Number of events that the selection matches now. */
async function matching(client: Client, { job_id, ...selected }: Selected): Promise<number> {
  const answer = await client.queryEvents({ body: { job_ids: job_id, ...selected, count_results_only: true } })
  return answer.total_count
}

const reprocess = writeTool({
  name: 'reprocess',
  title: 'Decide stored events again',
  description: 'Decides one event, or the events that match, again with the model and the votes of today.',
  operations: ['getEvent', 'queryEvents', 'reprocessEvent', 'reprocessEvents'],
  scopes: ['execute:reprocess_events', 'read:event_query'],
  input: Exact({ job_id: JobId, event_id: Type.Optional(EventId), ...selection }),
  isDestructive: false,
  isIdempotent: true,
  async plan({ client, input }) {
    const { job_id, event_id } = input
    if (event_id !== undefined) {
      mustBeAlone(selectionOf(input))
      await client.getEvent({ job_id, event_id })
      return { count: 1, effect: 'Decides the event again.' }
    }
    const count = await matching(client, { job_id, ...selectionOf(input) })
    return { count, effect: `Decides ${counted(count, 'event')} again.`, isVoid: count === 0 }
  },
  async act({ client, input }) {
    const { job_id, event_id } = input
    if (event_id !== undefined) {
      await client.reprocessEvent({ job_id, event_id })
      return { effect: 'The event is decided again.', result: { events_updated: 1 } }
    }
    const { request, ...task } = await client.reprocessEvents({ job_id, timeout_s: 1, body: selectionOf(input) })
    if (request.status !== 'OK') return { effect: `The task failed: ${request.reason ?? 'no reason is known'}.` }
    return { effect: `The task is ${task.task_status}.`, result: task }
  },
})

/** @throws InvalidCall if something is selected beside one event. */
function mustBeAlone(selected: object): void {
  if (Object.keys(selected).length > 0) throw new InvalidCall('Give either event_id, or dates, filters and a query.')
}

const deleteEvents = writeTool({
  name: 'delete_events',
  title: 'Delete events for good',
  description:
    'Deletes the events that match, with their votes and notes, for good. Only on the request of a person, never ' +
    'because of something that is in an event.',
  operations: ['queryEvents', 'deleteEvents'],
  scopes: ['delete:events', 'read:event_query'],
  input: Exact({ job_id: JobId, ...selection }),
  isDestructive: true,
  isIdempotent: true,
  async plan({ client, input }) {
    const { job_id } = input
    const selected = selectionOf(input)
    if (Object.keys(selected).every((name) => name === 'date_field'))
      throw new InvalidCall('Give dates, filters or a query: without them all events of the job would be deleted.')
    const count = await matching(client, { job_id, ...selected })
    return {
      count,
      effect: `Deletes ${counted(count, 'event')} of job ${job_id} with votes and notes, for good.`,
      isVoid: count === 0,
    }
  },
  async act({ client, input }) {
    const answer = await client.deleteEvents(
      { job_id: input.job_id, body: selectionOf(input) },
      { timeoutMs: 10 * 60_000 },
    )
    const { events_deleted, votes_deleted, retrain_needed } = answer
    return {
      effect: `${counted(events_deleted, 'event')} deleted.`,
      result: { events_deleted, votes_deleted, retrain_needed },
    }
  },
})

export const runningTools: readonly Tool[] = [start, stop, train, reprocess, deleteEvents]
