/** Votes by filter: count first, then a task with progress, and its undo. */
import { isoMicros, Refusal, type VoteTask as EngineTask, type VoteTaskPreview } from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import type { ListedEvent } from '../../schemas/live/lists.js'
import { VotesByFilter, VotesPreview, VotesUndo, VoteTask, VoteTasks } from '../../schemas/live/vote-tasks.js'
import type { Static } from 'typebox'
import { jobFromPath } from '../job-reference.js'
import { filtersOf, given, sentFilters } from '../queries.js'

const tag = 'Feedback'
const path = '/api/v2/jobs/{job_id}/vote-tasks'
const one = `${path}/{task_id}`
const scope = 'write:event_feedback'
const moreScopes = { 'read:event_query': 'to find the events' } as const
const lacking = 'the key lacks the scope read:event_query, which votes by filter need'

function taskWire(task: EngineTask) {
  return {
    task_id: task.taskId,
    job_id: task.jobId,
    state: task.state,
    message: task.message,
    analyst: task.analyst,
    label: task.label,
    requested_by: task.requestedBy,
    ...sentFilters<Static<typeof VoteTask>['filters'][number]>(task.filters),
    expected: task.expected,
    voted: task.voted,
    unchanged: task.unchanged,
    superseded: task.superseded,
    gone: task.gone,
    failed: task.failed,
    taken_back: task.takenBack,
    kept: task.kept,
    requested_at: isoMicros(task.requestedMicros),
    finished_at: task.finishedMicros === null ? null : isoMicros(task.finishedMicros),
  }
}

function previewWire(preview: VoteTaskPreview) {
  return {
    label: preview.label,
    count: preview.count,
    count_is_exact: preview.isExact,
    until: isoMicros(preview.untilMicros),
    sample: [...preview.sample] as Static<typeof ListedEvent>[],
  }
}

/** The microseconds of an ISO time, which `Date` would cut. @throws Refusal invalid_body. */
function microsOf(text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) {
    const issue = { loc: ['body', 'until'], msg: 'Input should be a time in ISO 8601', type: 'date_parsing' }
    throw new Refusal('invalid_body', 'until: it is no time', { issues: [issue] })
  }
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? []
  return Math.floor(ms / 1000) * 1e6 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

const vote = operation({
  method: 'POST',
  path,
  operationId: 'voteByFilter',
  tag,
  summary: 'Vote on all events that match a query or filters',
  description:
    'With `dry_run` the answer has the number of events and a few of them. Without it a task votes on each of these ' +
    "events, as a vote on a single event does; it survives restarts. `undo_token` takes the task's votes back: what " +
    'the analyst had voted before stands again, and a vote that was changed since stays.',
  scope,
  moreScopes,
  body: VotesByFilter,
  bodyExample: { feedback: 'Drop', filters: [{ field: 'rule.id', operator: 'is', value: '4625' }], dry_run: true },
  responses: { 200: { description: 'The events, and the task unless it was a dry run.', schema: VotesPreview } },
  errors: [400, 404, 409, 507],
  async handle({ app, principal, params, body, gone }) {
    if (!principal.scopes.has('read:event_query')) throw new Refusal('forbidden', lacking)
    const job = jobFromPath(app, principal, params[0]!)
    const request = {
      analyst: body.cortex_user?.trim() || principal.name,
      label: body.feedback,
      ...given({
        closingNotes: body.closing_notes,
        filters: filtersOf(body, principal),
        startDate: body.start_date,
        endDate: body.end_date,
        dateField: body.date_field,
        untilMicros: body.until === undefined ? undefined : microsOf(body.until),
      }),
    }
    const { voteTasks } = app.service.live
    if (body.dry_run === true) {
      const preview = await voteTasks.preview(principal, job, request, gone())
      return { ...previewWire(preview), task: null, undo_token: null }
    }
    const { task, preview, undoToken } = await voteTasks.start(principal, job, request)
    return { ...previewWire(preview), task: taskWire(task), undo_token: undoToken }
  },
})

const list = operation({
  method: 'GET',
  path,
  operationId: 'listVoteTasks',
  tag,
  summary: 'List the tasks of votes by filter, latest first',
  scope,
  responses: { 200: { description: 'The tasks.', schema: VoteTasks } },
  errors: [404],
  handle({ app, principal, params }) {
    return { tasks: app.service.live.voteTasks.list(jobFromPath(app, principal, params[0]!)).map(taskWire) }
  },
})

const see = operation({
  method: 'GET',
  path: one,
  operationId: 'getVoteTask',
  tag,
  summary: 'Get the progress and the result of votes by filter',
  scope,
  responses: { 200: { description: 'The task.', schema: VoteTask } },
  errors: [404],
  handle({ app, principal, params }) {
    return taskWire(app.service.live.voteTasks.one(jobFromPath(app, principal, params[0]!), params[1]!))
  },
})

const cancel = operation({
  method: 'DELETE',
  path: one,
  operationId: 'cancelVoteTask',
  tag,
  summary: 'End votes by filter early',
  description: 'The votes that were given stay, and can be taken back.',
  scope,
  responses: { 200: { description: 'The task.', schema: VoteTask } },
  errors: [404, 507],
  handle({ app, principal, params }) {
    return taskWire(app.service.live.voteTasks.cancel(jobFromPath(app, principal, params[0]!), params[1]!, principal))
  },
})

const undo = operation({
  method: 'POST',
  path: `${one}/undo`,
  operationId: 'undoVoteTask',
  tag,
  summary: 'Take the votes of a task back',
  description:
    'What the analyst had voted before stands again, with its time and notes. Whoever requested the task needs no ' +
    'token, nor do those with the scope `write:consensus`.',
  isIdempotent: true,
  scope,
  body: VotesUndo,
  bodyExample: { undo_token: 'from the answer to the request' },
  responses: { 200: { description: 'The task, which is taking its votes back.', schema: VoteTask } },
  errors: [404, 507],
  handle({ app, principal, params, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    return taskWire(app.service.live.voteTasks.undo(job, params[1]!, body.undo_token ?? null, principal))
  },
})

export const voteTaskRoutes: readonly Route[] = [vote, list, see, cancel, undo]
