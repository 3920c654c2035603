/** The models of a job: what each was made from, how good it is, when it decided; rolling back to one of them. */
import { isoMicros, type ModelView, type Scope } from '../../../engine/index.js'
import { operation, type Route } from '../../http/route.js'
import {
  ModelsPage,
  ModelsQuery,
  RegisteredModel,
  RollbackBody,
  RollbackResult,
} from '../../schemas/models/registry.js'
import { jobFromPath } from '../job-reference.js'
import { wireOf } from '../metrics-wire.js'

const tag = 'Models'
const path = '/api/v2/jobs/{job_id}/models'
const read: Scope = 'read:job_metrics'
const SIZE = 20

function originWire(origin: NonNullable<ModelView['origin']>) {
  return {
    why: origin.why,
    user: origin.by,
    log_position: origin.throughMicros,
    label_counts: Object.fromEntries(origin.labelCounts),
    objective: origin.objective,
    decision_points: origin.points,
    seed: origin.seed,
    without_analysts: origin.withoutAnalysts,
  }
}

function modelWire(model: ModelView) {
  return {
    model_id: model.modelId,
    version: model.version,
    active: model.isActive,
    kept: model.isKept,
    bytes: model.bytes,
    trained_at: isoMicros(model.trainedMicros),
    algorithm: model.algorithm,
    origin: model.origin === null ? null : originWire(model.origin),
    examples: model.examples,
    features: model.features,
    held_out: wireOf(model.heldOut),
    held_out_log_loss: wireOf(model.heldOutLogLoss),
    active_times: model.activeTimes.map(({ fromMicros, toMicros, why, by }) => {
      return { from: isoMicros(fromMicros), to: toMicros === null ? null : isoMicros(toMicros), why, user: by }
    }),
  }
}

const list = operation({
  method: 'GET',
  path,
  operationId: 'listModels',
  tag,
  summary: 'List the models of a job',
  description:
    'Every model with what it was made from, its held-out figures, why it was trained, and when it decided. A job ' +
    'keeps as many models as `advanced_settings.models_kept` says; of older ones the figures stay.',
  scope: read,
  query: ModelsQuery,
  responses: { 200: { description: 'A page of models.', schema: ModelsPage } },
  errors: [404],
  handle({ app, principal, params, query }) {
    const { page = 0, size = SIZE } = query
    const found = app.service.models.list(jobFromPath(app, principal, params[0]!), page, size)
    return {
      models: found.models.map(modelWire),
      total_count: found.total,
      models_kept: found.keptMax,
      page,
      size,
    }
  },
})

const get = operation({
  method: 'GET',
  path: `${path}/{model_id}`,
  operationId: 'getModel',
  tag,
  summary: 'Get a model of a job',
  scope: read,
  responses: { 200: { description: 'The model.', schema: RegisteredModel } },
  errors: [404],
  handle: ({ app, principal, params }) =>
    modelWire(app.service.models.model(jobFromPath(app, principal, params[0]!), params[1]!)),
})

const rollBack = operation({
  method: 'POST',
  path: '/api/v2/jobs/{job_id}/rollback',
  operationId: 'rollBackModel',
  tag,
  summary: 'Roll back to an earlier model',
  description:
    'The model and the knowledge base that it was trained on decide from the next event on. Stored decisions stay. ' +
    'The gates of the job close. For administrators.',
  scope: 'write:models',
  body: RollbackBody,
  bodyExample: { model_id: 'model_1_3' },
  responses: {
    200: {
      description: 'The model decides.',
      schema: RollbackResult,
      example: { from: 'model_1_4', to: 'model_1_3' },
    },
  },
  errors: [404, 409, 413, 507],
  handle({ app, principal, params, body }) {
    const job = jobFromPath(app, principal, params[0]!)
    return app.service.models.rollBack(job, body.model_id, principal)
  },
})

export const registryRoutes: readonly Route[] = [list, get, rollBack]
