/** A challenger: a model that decides the live stream in shadow, until it is promoted or dropped. */
import { isoMicros, type ChallengerView, type JobView, type Objective } from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import { worked, Outcome } from '../../schemas/common.js'
import { ChallengeBody, ChallengerAnswer, RollbackResult } from '../../schemas/models/registry.js'
import { jobFromPath } from '../job-reference.js'

const tag = 'Models'
const path = '/api/v2/jobs/{job_id}/challenger'
const scope = 'execute:model_trials'

function answerWire(view: ChallengerView | null, message: string) {
  return { challenger: view === null ? null : challengerWire(view), message: view === null ? message : null }
}

/** A challenger may be on its way, or its training may have failed. */
function noneMessage({ retrainState, retrainMsg }: JobView): string {
  if (retrainState === 'queued' || retrainState === 'training')
    return 'the job has no challenger yet: a training is running'
  return retrainState === 'RETRAIN_FAILED'
    ? `the job has no challenger, and its last training failed: ${retrainMsg}`
    : 'the job has no challenger'
}

function challengerWire(view: ChallengerView) {
  return {
    model_id: view.modelId,
    champion: view.champion,
    since: isoMicros(view.sinceMicros),
    user: view.by,
    automatic: view.isAutomatic,
    events: view.events,
    disagreements: view.disagreements,
    challenger_right: view.challengerRight,
    champion_right: view.championRight,
    neither_right: view.neitherRight,
    verdict: view.verdict,
    message: view.message,
  }
}

const see = operation({
  method: 'GET',
  path,
  operationId: 'getChallenger',
  tag,
  summary: 'Get the challenger of a job, and how it compares',
  scope: 'read:job_metrics',
  responses: { 200: { description: 'The challenger, or null.', schema: ChallengerAnswer } },
  errors: [404],
  handle({ app, principal, params }) {
    const job = jobFromPath(app, principal, params[0]!)
    return answerWire(app.service.models.challenger(job), noneMessage(app.service.jobView(job)))
  },
})

const start = operation({
  method: 'POST',
  path,
  operationId: 'startChallenger',
  tag,
  summary: 'Start a challenger',
  description:
    'A model of the registry, or one that is trained for it, decides each new event in shadow. Where both differ and ' +
    'people answer, it is counted who was right. Another challenger of the job is dropped.',
  scope,
  body: ChallengeBody,
  bodyExample: { objective: 'accuracy' },
  responses: { 200: { description: 'It decides in shadow, or is being trained.', schema: ChallengerAnswer } },
  errors: [404, 409, 413, 507],
  async handle({ app, principal, params, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    const request = {
      modelId: body.model_id,
      objective: body.objective as Objective | undefined,
      withoutAnalysts: body.without_analysts,
      seed: body.seed,
    }
    const view = await app.service.models.challenge(job, request, principal)
    return answerWire(view, 'the challenger is being trained, and then decides in shadow')
  },
})

const promote = operation({
  method: 'POST',
  path: `${path}/promote`,
  operationId: 'promoteChallenger',
  tag,
  summary: 'Promote the challenger',
  description: 'It decides from the next event on, whatever its verdict. The gates of the job close.',
  scope: 'write:models',
  responses: { 200: { description: 'The challenger decides.', schema: RollbackResult } },
  errors: [404, 507],
  handle: ({ app, principal, params }) =>
    app.service.models.promote(jobFromPath(app, principal, params[0]!), principal),
})

const drop = operation({
  method: 'DELETE',
  path,
  operationId: 'dropChallenger',
  tag,
  summary: 'Drop the challenger',
  description: 'Its model stays in the registry.',
  scope,
  responses: { 200: { description: 'The job has no challenger.', schema: Outcome, example: worked } },
  errors: [404, 507],
  async handle({ app, principal, params }) {
    await app.service.models.drop(jobFromPath(app, principal, params[0]!), principal)
    return worked
  },
})

export const challengerRoutes: readonly Route[] = [see, start, promote, drop]
