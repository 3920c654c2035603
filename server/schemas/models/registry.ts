/** The model registry: what each model was made from, how good it is, and when it decided. */
import { Type } from 'typebox'
import { limits, modelBounds } from '../../../engine/index.js'
import { Exact, nullable, Timestamp } from '../common.js'
import { QualityReport } from '../quality.js'
import { Objective } from './objective.js'

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

export const ChallengeBody = Exact({
  model_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'A model of the registry. Default: one is trained.' }),
  ),
  objective: Type.Optional({ ...Objective, description: 'Train the challenger for this objective.' }),
  without_analysts: Type.Optional(
    Type.Array(Type.String({ maxLength: limits.nameCharsMax }), {
      maxItems: modelBounds.withoutAnalystsMax,
      description: 'Train the challenger without the votes of these analysts.',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1, description: 'Train the challenger with this seed.' }),
  ),
})

export const ChallengerVerdict = Type.Enum(['undecided', 'better', 'worse', 'not_worse'], {
  description: 'By an anytime-valid test at 5 %: it holds whenever one looks.',
})

export const Challenger = Type.Object({
  model_id: Type.String(),
  champion: Type.String(),
  since: Timestamp,
  user: Type.String(),
  automatic: Type.Boolean({ description: 'Its verdict promotes or drops it.' }),
  events: Type.Integer({ description: 'New events that both have decided.' }),
  disagreements: Type.Integer({ description: 'Of these, decided differently.' }),
  challenger_right: Type.Integer({ description: 'Disagreements that people answered as the challenger did.' }),
  champion_right: Type.Integer(),
  neither_right: Type.Integer(),
  verdict: ChallengerVerdict,
  message: Type.String({ description: 'For people.' }),
})

export const ChallengerAnswer = Type.Object({
  challenger: nullable(Challenger),
  message: nullable(Type.String({ description: 'For people, where there is none yet.' })),
})
