/** Replays: what another model, objective, set of decision points, threshold or set of votes would have decided. */
import { isoMicros, type Objective, type ReplayReport as Report, type ReplayView } from '../../../engine/index.js'
import { operation, type GuardedRoute, type Route } from '../../http/route.js'
import { Replay, ReplayList, ReplayRequest } from '../../schemas/models/replays.js'
import { jobFromPath } from '../job-reference.js'
import { momentOf } from '../moment.js'

const tag = 'Models'
const path = '/api/v2/jobs/{job_id}/replays'
const scope = 'execute:model_trials'
const oneReplay = { 200: { description: 'The replay.', schema: Replay } }

function listedWire(view: ReplayView) {
  return {
    replay_id: view.replayId,
    status: view.state,
    message: view.message,
    progress_percent: view.percent,
    requested_by: view.requestedBy,
    requested_at: isoMicros(view.requestedMicros),
    finished_at: view.finishedMicros === null ? null : isoMicros(view.finishedMicros),
    start_date: isoMicros(view.fromMicros),
    end_date: isoMicros(view.toMicros),
    model_id: view.modelId,
    against: view.against,
    objective: view.objective,
    decision_points: view.decisionPoints,
    without_analysts: view.withoutAnalysts,
    threshold: view.threshold,
  }
}

function reportWire(report: Report) {
  return {
    before: report.before,
    after: report.after,
    seconds: Math.round(report.seconds * 1000) / 1000,
    events: report.events,
    changed: report.changed,
    changed_share: report.changedShare,
    moves: report.moves,
    outliers: report.outliers,
    low_confidence: report.lowConfidence,
    buckets: report.buckets,
    buckets_changed: report.bucketsChanged,
    top_buckets: report.topBuckets.map(({ bucketId, ...bucket }) => ({ bucket_id: bucketId, ...bucket })),
    examples: report.examples,
    unseen_votes: report.unseenVotes,
    seen_votes: report.seenVotes,
    queue: report.queue,
    outputs: report.outputs.map(({ integrationId, ...output }) => ({ integration_id: integrationId, ...output })),
  }
}

function replayWire(view: ReplayView) {
  return { ...listedWire(view), report: view.report === null ? null : reportWire(view.report) }
}

const start = operation({
  method: 'POST',
  path,
  operationId: 'startReplay',
  tag,
  summary: 'Decide a period again, without changing anything',
  description:
    'The report says how many decisions differ, by bucket and weighted by mass, beside the consensus where there is ' +
    'one, and what the queue and each output would have seen. Two models of the registry are compared with ' +
    '`model_id` and `against`: what a retraining changed. It runs in the background, one at a time.',
  scope,
  body: ReplayRequest,
  bodyExample: { start_date: '2026-01-01', model_id: 'model_1_4', against: 'model_1_3' },
  responses: { 200: { description: 'The replay is queued.', schema: Replay } },
  errors: [404, 409, 413, 507],
  async handle({ app, principal, params, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    const request = {
      fromMicros: momentOf('start_date', body.start_date, 'body'),
      toMicros: momentOf('end_date', body.end_date, 'body'),
      modelId: body.model_id,
      against: body.against,
      objective: body.objective as Objective | undefined,
      decisionPoints: body.decision_points,
      withoutAnalysts: body.without_analysts,
      seed: body.seed,
      threshold: body.threshold,
    }
    return replayWire(await app.service.replays.start(job, request, principal))
  },
})

const list = operation({
  method: 'GET',
  path,
  operationId: 'listReplays',
  tag,
  summary: 'List the replays of a job',
  scope: 'read:job_metrics',
  responses: { 200: { description: 'Replays without their reports.', schema: ReplayList } },
  errors: [404],
  handle: ({ app, principal, params }) => {
    return { replays: app.service.replays.list(jobFromPath(app, principal, params[0]!)).map(listedWire) }
  },
})

const get = operation({
  method: 'GET',
  path: `${path}/{replay_id}`,
  operationId: 'getReplay',
  tag,
  summary: 'Get a replay, its progress and its report',
  scope: 'read:job_metrics',
  responses: oneReplay,
  errors: [404],
  handle: ({ app, principal, params }) =>
    replayWire(app.service.replays.replay(jobFromPath(app, principal, params[0]!), params[1]!)),
})

const table: GuardedRoute = {
  method: 'GET',
  path: `${path}/{replay_id}/table`,
  operationId: 'getReplayTable',
  tag,
  summary: 'Get the report of a replay as a table for people',
  scope: 'read:job_metrics',
  responses: { 200: { description: 'The report as text.', mediaType: 'text/plain' } },
  errors: [404],
  serve(exchange, params, app, principal) {
    const job = jobFromPath(app, principal, params[0]!)
    exchange.reply('200 OK', 'text/plain; charset=utf-8', app.service.replays.table(job, params[1]!))
  },
}

const cancel = operation({
  method: 'DELETE',
  path: `${path}/{replay_id}`,
  operationId: 'cancelReplay',
  tag,
  summary: 'Cancel a replay',
  description: 'A replay that is over is unchanged.',
  scope,
  responses: oneReplay,
  errors: [404, 507],
  handle: async ({ app, principal, params }) =>
    replayWire(await app.service.replays.cancel(jobFromPath(app, principal, params[0]!), params[1]!, principal)),
})

export const replayRoutes: readonly Route[] = [start, list, get, table, cancel]
