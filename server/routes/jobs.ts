/** Jobs: read, train, start and stop. */
import { Type } from 'typebox'
import { isoMicros, type JobHandle, type JobView, type Principal, type Warning } from '../../engine/index.js'
import type { App } from '../app.js'
import { operation, type Route } from '../http/route.js'
import { Outcome, worked } from '../schemas/common.js'
import { Job, JobName, Labels, TrainAnswer, TrainedBy } from '../schemas/jobs.js'
import { jobFromPath } from './job-reference.js'

const tag = 'Jobs'
/** The answer of the `/api/v1` operations that succeeded. */
const done = { status: 'OK', error_message: '' } as const
const oneJob = { 200: { description: 'The job.', schema: Job } }
const jobLabels = { 200: { description: 'Label names.', schema: Labels, example: ['Escalate', 'Drop', 'Investigate'] } }

function timestamp(micros: number | null): string | null {
  return micros === null ? null : isoMicros(micros)
}

/** A warning in wire form, with `inside` before its place. */
export function warningWire({ type, place, message, action }: Warning, inside: readonly string[] = []) {
  return { type, loc: [...inside, ...place.map(String)], msg: message, action }
}

/** The same with how often it was seen. Examples come out of events: only who may read those gets them. */
function seenWarningWire(warning: Warning, { scopes }: Principal) {
  const { seen } = warning
  if (seen === undefined) return warningWire(warning)
  const { count, example, firstMicros, lastMicros } = seen
  return {
    ...warningWire(warning),
    count,
    ...(scopes.has('read:event_query') ? { example } : {}),
    first_seen: isoMicros(firstMicros),
    last_seen: isoMicros(lastMicros),
  }
}

function evidenceWire(evidence: JobView['evidence']) {
  return {
    level: evidence.level,
    voted_events: Object.fromEntries(evidence.votedEvents),
    held_out_votes: Object.fromEntries(evidence.heldOutVotes),
    held_out_votes_needed: evidence.heldOutVotesNeeded,
    labels_without_votes: evidence.labelsWithoutVotes,
    labels_unknown_to_model: evidence.labelsUnknownToModel,
    message: evidence.message,
  }
}

/** A job in wire form. */
export function jobWire(view: JobView, principal: Principal) {
  return {
    job_id: view.id,
    title: view.title,
    category: view.category,
    data_type: view.dataType,
    status: view.status,
    retrain_state: view.retrainState,
    retrain_msg: view.retrainMsg,
    model_state: view.modelState,
    model_msg: view.modelMsg,
    model_ageing_since: timestamp(view.modelAgeingSinceMicros),
    labels: view.labels.map((label) => label.name),
    features: view.decisionPoints,
    processed_documents_count: view.processedDocuments,
    feedback_documents_count: view.feedbackDocuments,
    last_processed_timestamp: timestamp(view.lastProcessedMicros) ?? '',
    last_feedback_timestamp: timestamp(view.lastFeedbackMicros),
    time_zone: view.timeZone,
    next_training_at: timestamp(view.nextTrainingMicros),
    last_train_start_timestamp: timestamp(view.lastTrainStartMicros),
    last_train_finished_timestamp: timestamp(view.lastTrainFinishedMicros),
    undecided_documents_count: view.undecidedEvents,
    evidence: evidenceWire(view.evidence),
    warnings: view.warnings.map((warning) => seenWarningWire(warning, principal)),
    invalid: view.decisionPoints.length === 0 && view.category !== 'Automated root cause analysis',
  }
}

const list = operation({
  method: 'GET',
  path: '/api/v1/jobs/',
  operationId: 'listJobs',
  tag,
  summary: 'List the jobs that accept events over this API',
  scope: 'public',
  responses: { 200: { description: 'Jobs by id.', schema: Type.Array(Job) } },
  handle: ({ app, principal }) => app.service.jobViews(principal, true).map((view) => jobWire(view, principal)),
})

const listAll = operation({
  method: 'GET',
  path: '/api/v2/jobs/',
  operationId: 'listManagedJobs',
  tag,
  summary: 'List every job that the key may see',
  scope: 'public',
  responses: { 200: { description: 'Jobs by id.', schema: Type.Array(Job) } },
  handle: ({ app, principal }) => app.service.jobViews(principal, false).map((view) => jobWire(view, principal)),
})

const get = operation({
  method: 'GET',
  path: '/api/v1/jobs/{job_id}',
  operationId: 'getJob',
  tag,
  summary: 'Get a job',
  scope: 'public',
  responses: oneJob,
  errors: [404],
  handle: ({ app, principal, params }) =>
    jobWire(app.service.jobView(jobFromPath(app, principal, params[0]!)), principal),
})

const getManaged: Route = { ...get, path: '/api/v2/jobs/{job_id}', operationId: 'getManagedJob' }

const getLabels = operation({
  method: 'GET',
  path: '/api/v1/jobs/{job_id}/labels',
  operationId: 'getJobLabels',
  tag,
  summary: 'Get the labels of a job',
  scope: 'public',
  responses: jobLabels,
  errors: [404],
  handle: ({ app, principal, params }) => jobFromPath(app, principal, params[0]!).labels.map((label) => label.name),
})

const getByName = operation({
  method: 'POST',
  path: '/api/v1/jobs/get_by_name',
  operationId: 'getJobByName',
  isIdempotent: true,
  tag,
  summary: 'Find a job by its title',
  scope: 'public',
  body: JobName,
  bodyExample: { job_name: 'Phishing' },
  responses: oneJob,
  errors: [404],
  handle: ({ app, principal, body }) =>
    jobWire(app.service.jobView(app.service.jobByTitle(principal, body.job_name)), principal),
})

const getLabelsByName = operation({
  method: 'POST',
  path: '/api/v1/jobs/get_by_name/labels',
  operationId: 'getJobLabelsByName',
  isIdempotent: true,
  tag,
  summary: 'Find the labels of a job by the title of the job',
  scope: 'public',
  body: JobName,
  bodyExample: { job_name: 'Phishing' },
  responses: jobLabels,
  errors: [404],
  handle: ({ app, principal, body }) =>
    app.service.jobByTitle(principal, body.job_name).labels.map((label) => label.name),
})

const train = operation({
  method: 'POST',
  path: '/api/v1/jobs/{job_id}/train',
  operationId: 'trainJob',
  tag,
  summary: 'Train on the feedback given so far',
  description: 'Answers when the training is queued; `retrain_state` and `retrain_msg` of the job show its progress.',
  scope: 'execute:job_operations',
  query: TrainedBy,
  body: TrainedBy,
  bodyExample: { username: 'ann' },
  responses: { 200: { description: 'The training is queued.', schema: TrainAnswer, example: done } },
  errors: [404, 409, 507],
  async handle({ app, principal, params, query, body }) {
    const username = body.username || query.username || principal.name
    await app.service.train(jobFromPath(app, principal, params[0]!), username, principal)
    return done
  },
})

function startOrStop(verb: 'start' | 'stop', { service }: App, job: JobHandle, principal: Principal): Promise<void> {
  return verb === 'start' ? service.startJob(job, principal) : service.stopJob(job, principal)
}

/** FortiSOAR calls these with a user name in the query, which is ignored: the key says who calls. */
function plainOperation(verb: 'start' | 'stop', summary: string): Route {
  return operation({
    method: 'POST',
    path: `/api/v1/jobs/{job_id}/${verb}`,
    operationId: `${verb}Job`,
    isIdempotent: true,
    tag,
    summary,
    scope: 'execute:job_operations',
    responses: { 200: { description: 'Done.', schema: TrainAnswer, example: done } },
    errors: [404, 507],
    async handle({ app, principal, params }) {
      await startOrStop(verb, app, jobFromPath(app, principal, params[0]!), principal)
      return done
    },
  })
}

/** Start, stop and train of the management API. */
function jobOperation(verb: 'start' | 'stop' | 'train', summary: string): Route {
  return operation({
    method: 'POST',
    path: `/api/v2/jobs/{job_id}/${verb}`,
    operationId: `${verb}ManagedJob`,
    ...(verb === 'train' ? {} : { isIdempotent: true }),
    tag,
    summary,
    scope: 'execute:job_operations',
    responses: { 200: { description: 'Done.', schema: Outcome, example: worked } },
    errors: verb === 'train' ? [404, 409, 507] : [404, 507],
    async handle({ app, principal, params }) {
      const job = jobFromPath(app, principal, params[0]!)
      if (verb === 'train') await app.service.train(job, principal.name, principal)
      else await startOrStop(verb, app, job, principal)
      return worked
    },
  })
}

export const jobRoutes: readonly Route[] = [
  list,
  listAll,
  get,
  getManaged,
  getLabels,
  getByName,
  getLabelsByName,
  train,
  plainOperation('start', 'Start a job and decide the events it held'),
  plainOperation('stop', 'Stop a job, so that new events are held'),
  jobOperation('start', 'Start a job and decide the events it held'),
  jobOperation('stop', 'Stop a job, so that new events are held'),
  jobOperation('train', 'Train on the feedback given so far'),
]
