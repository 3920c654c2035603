/** The model registry: what each model was made from, how good it is, and when it decided. */
import { Type } from 'typebox'
import { modelBounds } from '../../engine/index.js'
import { Exact, nullable, Timestamp } from './common.js'
import { QualityReport } from './quality.js'

export const ModelsQuery = Exact({
  page: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Page number, from 0.' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: modelBounds.pageMax, default: 20 })),
})

export const ModelActiveTime = Type.Object({
  from: Timestamp,
  to: nullable(Timestamp),
  why: Type.Enum(['trained', 'rolled_back', 'promoted'], { description: '`trained`: with its installation.' }),
  user: Type.String(),
})

export const ModelOrigin = Type.Object(
  {
    why: Type.Enum(['requested', 'scheduled', 'challenger'], { description: 'Why it was trained.' }),
    user: Type.String(),
    log_position: Type.Integer({
      description: 'Microseconds since 1970: it knows what had happened to the shard of the job up to then.',
    }),
    label_counts: Type.Record(Type.String(), Type.Integer(), {
      description: 'Examples of the training by name of the label.',
    }),
    objective: Type.Unsafe<unknown>({ description: 'As `advanced_settings.objective`.' }),
    decision_points: Type.Array(Type.String()),
    seed: Type.Integer(),
    without_analysts: Type.Array(Type.String(), { description: 'Analysts whose votes were left out.' }),
  },
  { description: 'What it was made from. Another training from the same gives the same bytes.' },
)

export const RegisteredModel = Type.Object({
  model_id: Type.String(),
  version: Type.Integer(),
  active: Type.Boolean({ description: 'It decides new events.' }),
  kept: Type.Boolean({ description: 'It can decide again. Of other models the figures alone are kept.' }),
  bytes: Type.Integer(),
  trained_at: Timestamp,
  algorithm: Type.String(),
  origin: nullable(ModelOrigin),
  examples: Type.Integer(),
  features: Type.Integer(),
  held_out: { ...QualityReport, description: 'Of events that were held out from the training.' },
  held_out_log_loss: nullable(Type.Number()),
  active_times: Type.Array(ModelActiveTime, { description: 'When it decided, oldest first.' }),
})

export const ModelsPage = Type.Object({
  models: Type.Array(RegisteredModel, { description: 'Latest first.' }),
  total_count: Type.Integer(),
  models_kept: Type.Integer({ description: 'The setting of the job: so many models are kept with their bytes.' }),
  page: Type.Integer(),
  size: Type.Integer(),
})

export const RollbackBody = Exact({
  model_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'The model that is to decide. Default: the one that decided before.' }),
  ),
})

export const RollbackResult = Type.Object({
  from: nullable(Type.String({ description: 'The model that decided until now.' })),
  to: Type.String({ description: 'The model that decides from the next event on.' }),
})
