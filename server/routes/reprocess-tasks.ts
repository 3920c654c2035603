/** Deciding many events again, as tasks in the background. */
import { isoMicros, type ReprocessTask } from '../../engine/index.js'
import { operation, type Route } from '../http/route.js'
import { worked } from '../schemas/common.js'
import {
  ReprocessSelection,
  ReprocessStarted,
  ReprocessTask as TaskSchema,
  ReprocessTasks,
  ReprocessWait,
} from '../schemas/stored-events.js'
import { jobFromPath } from './job-reference.js'

const tag = 'Events'
const scope = 'execute:reprocess_events'
const oneTask = { 200: { description: 'The task.', schema: TaskSchema } }

function taskWire(task: ReprocessTask) {
  return {
    task_id: task.taskId,
    job_id: task.jobId,
    status: task.state,
    message: task.message,
    date_field: task.dateField,
    start_date: task.startDate,
    end_date: task.endDate,
    filters: task.filters,
    requested_by: task.requestedBy,
    events_matched: task.matched,
    events_updated: task.updated,
    decisions_changed: task.changed,
    progress_percent: task.percent,
    requested_at: isoMicros(task.requestedMicros),
    finished_at: task.finishedMicros === null ? null : isoMicros(task.finishedMicros),
  }
}

/** What a client that knows of no tasks is told. */
function startedWire(task: ReprocessTask) {
  const { state, message, taskId } = task
  const failed = state === 'failed' || state === 'cancelled'
  return {
    request: failed
      ? { status: 'NOK', reason: message || 'the task was cancelled', reason_details: null }
      : { ...worked, reason: state === 'finished' ? null : message || 'the task goes on in the background' },
    events_updated: state === 'finished' || failed ? task.updated : (task.matched ?? task.updated),
    task_id: taskId,
    task_status: state,
  }
}

const start = operation({
  method: 'POST',
  path: '/api/v2/events/{job_id}/reprocess',
  operationId: 'reprocessEvents',
  tag,
  summary: 'Decide many events again',
  description:
    'Those that came in before the request and that dates and filters name; without any, all. A task in the background does ' +
    'it, through restarts, and does not hold up new events. The answer comes when it is finished, or else after `timeout_s` ' +
    'as soon as its events are counted. Tasks of one job run one after the other; while the job is stopped they wait.',
  scope,
  query: ReprocessWait,
  body: ReprocessSelection,
  bodyExample: {
    date_field: '@timestamp',
    start_date: 'now-7d/d',
    filters: [{ field: 'service.result_label', operator: 'is', value: 'Drop' }],
  },
  responses: {
    200: {
      description: 'Finished, or on its way.',
      schema: ReprocessStarted,
      example: { request: worked, events_updated: 3, task_id: '01j9zk3v7q8w5', task_status: 'finished' },
    },
  },
  errors: [404, 409, 507],
  async handle({ app, principal, params, query, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { date_field: dateField, start_date: startDate, end_date: endDate, filters } = body
    return startedWire(
      await app.service.reprocess.start(job, { dateField, startDate, endDate, filters }, principal, query.timeout_s),
    )
  },
})

const list = operation({
  method: 'GET',
  path: '/api/v2/events/{job_id}/reprocess',
  operationId: 'listReprocessTasks',
  tag,
  summary: 'List what is and was decided again',
  scope,
  responses: { 200: { description: 'Tasks, latest first.', schema: ReprocessTasks } },
  errors: [404],
  handle: ({ app, principal, params }) =>
    app.service.reprocess.tasks(jobFromPath(app, principal, params[0]!)).map(taskWire),
})

const get = operation({
  method: 'GET',
  path: '/api/v2/events/{job_id}/reprocess/{task_id}',
  operationId: 'getReprocessTask',
  tag,
  summary: 'See how far a task is',
  scope,
  responses: oneTask,
  errors: [404],
  handle: ({ app, principal, params }) =>
    taskWire(app.service.reprocess.task(jobFromPath(app, principal, params[0]!), params[1]!)),
})

const cancel = operation({
  method: 'DELETE',
  path: '/api/v2/events/{job_id}/reprocess/{task_id}',
  operationId: 'cancelReprocessTask',
  tag,
  summary: 'Cancel a task',
  description: 'What it has decided stays. A task that is over stays as it is.',
  scope,
  responses: oneTask,
  errors: [404, 507],
  handle: async ({ app, principal, params }) => {
    return taskWire(await app.service.reprocess.cancel(jobFromPath(app, principal, params[0]!), params[1]!, principal))
  },
})

export const reprocessRoutes: readonly Route[] = [start, list, get, cancel]
