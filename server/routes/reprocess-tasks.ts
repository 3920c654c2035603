/** Reprocessing many events, as background tasks. */
import { isoMicros, type ReprocessTask } from '../../engine/index.js'
import type { Static } from 'typebox'
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
import { filtersOf, sentFilters } from './queries.js'

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
    ...sentFilters<Static<typeof TaskSchema>['filters'][number]>(task.filters),
    requested_by: task.requestedBy,
    events_matched: task.matched,
    events_updated: task.updated,
    decisions_changed: task.changed,
    progress_percent: task.percent,
    requested_at: isoMicros(task.requestedMicros),
    finished_at: task.finishedMicros === null ? null : isoMicros(task.finishedMicros),
  }
}

/** The answer to the start of a task, also for clients that know nothing of tasks. */
function startedWire(task: ReprocessTask) {
  const { state, message, taskId } = task
  const failed = state === 'failed' || state === 'cancelled'
  return {
    request: failed
      ? { status: 'NOK', reason: message || 'the task was cancelled', reason_details: null }
      : { ...worked, reason: state === 'finished' ? null : message || 'the task continues in the background' },
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
  summary: 'Reprocess many events',
  description:
    'Decides events again that came in before the request and match its dates and filters; without these, all ' +
    'events.\n\n' +
    'The work is a background task. It survives restarts and does not delay new events. The answer comes when the ' +
    'task is finished, or after `timeout_s` as soon as its events are counted. The tasks of a job run one after the ' +
    'other, and wait while the job is stopped.',
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
      description: 'The task is finished or under way.',
      schema: ReprocessStarted,
      example: { request: worked, events_updated: 3, task_id: '01j9zk3v7q8w5', task_status: 'finished' },
    },
  },
  errors: [404, 409, 507],
  async handle({ app, principal, params, query, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    const { date_field: dateField, start_date: startDate, end_date: endDate } = body
    const filters = filtersOf(body, principal)
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
  summary: 'List the reprocessing tasks of a job',
  scope,
  responses: { 200: { description: 'The tasks, latest first.', schema: ReprocessTasks } },
  errors: [404],
  handle: ({ app, principal, params }) =>
    app.service.reprocess.tasks(jobFromPath(app, principal, params[0]!)).map(taskWire),
})

const get = operation({
  method: 'GET',
  path: '/api/v2/events/{job_id}/reprocess/{task_id}',
  operationId: 'getReprocessTask',
  tag,
  summary: 'Get a reprocessing task and its progress',
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
  summary: 'Cancel a reprocessing task',
  description: 'Decisions already made are kept. A task that has ended is unchanged.',
  scope,
  responses: oneTask,
  errors: [404, 507],
  handle: async ({ app, principal, params }) => {
    return taskWire(await app.service.reprocess.cancel(jobFromPath(app, principal, params[0]!), params[1]!, principal))
  },
})

export const reprocessRoutes: readonly Route[] = [start, list, get, cancel]
