/** Replays: a period decided again with another model or other terms. */
import { Type } from 'typebox'
import { limits, modelBounds } from '../../../engine/index.js'
import { Exact, nullable, Timestamp } from '../common.js'
import { Objective } from './objective.js'

const Value = Type.Unsafe<unknown>({ description: 'As the model reads it.' })
const ModelId = Type.String({ maxLength: 64 })

export const ReplayRequest = Exact({
  start_date: Type.Optional(
    Type.String({ description: 'Events from this time of ingest on: ISO 8601. Default: all.' }),
  ),
  end_date: Type.Optional(Type.String({ description: 'Events before this time of ingest. Default: now.' })),
  model_id: Type.Optional({ ...ModelId, description: 'Decide with this model. Default: the active one.' }),
  against: Type.Optional({ ...ModelId, description: 'Compare with this model. Default: the stored decisions.' }),
  objective: Type.Optional({ ...Objective, description: 'Decide with a model that is trained for this objective.' }),
  decision_points: Type.Optional(
    Type.Array(Type.String({ maxLength: limits.decisionPointCharsMax }), {
      maxItems: limits.decisionPointsMax,
      description: 'Decide with a model that is trained on these decision points.',
    }),
  ),
  without_analysts: Type.Optional(
    Type.Array(Type.String({ maxLength: limits.nameCharsMax }), {
      maxItems: modelBounds.withoutAnalystsMax,
      description: 'Decide with a model that is trained without the votes of these analysts.',
    }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2 ** 32 - 1,
      description: 'Decide with a model that is trained with this seed.',
    }),
  ),
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'The least confidence with which events are settled and sent. Default: as the job does now.',
    }),
  ),
})

export const ReplayMove = Type.Object({
  before: nullable(Type.String({ description: 'A label; null: no decision.' })),
  after: nullable(Type.String()),
  events: Type.Integer(),
})

export const BeforeAndAfter = Type.Object({ before: Type.Integer(), after: Type.Integer() })

export const ReplayReach = Type.Object({
  before: Type.Integer(),
  after: Type.Integer(),
  added: Type.Integer({ description: 'Events that it would see only with the change.' }),
  removed: Type.Integer({ description: 'Events that it would not see with the change.' }),
})

export const ReplayOutput = Type.Object({
  integration_id: Type.Integer(),
  role: Type.String(),
  ...ReplayReach.properties,
})

export const ReplayAgreement = Type.Object({
  events: Type.Integer({ description: 'Events whose votes have a consensus.' }),
  before: Type.Integer({ description: 'Decided as the consensus says.' }),
  after: Type.Integer(),
})

export const ValuesByPoint = Type.Record(Type.String(), Value, { description: 'By decision point.' })

export const ReplayBucket = Type.Object({
  bucket_id: Type.String(),
  values: nullable(ValuesByPoint),
  events: Type.Integer(),
  changed: Type.Integer(),
  moves: Type.Array(ReplayMove),
})

export const ReplayReport = Type.Object({
  before: Type.String(),
  after: Type.String(),
  seconds: Type.Number(),
  events: Type.Integer(),
  changed: Type.Integer({ description: 'Events with another label. A bucket weighs as much as it has events.' }),
  changed_share: Type.Number(),
  moves: Type.Array(ReplayMove),
  outliers: BeforeAndAfter,
  low_confidence: BeforeAndAfter,
  buckets: Type.Integer(),
  buckets_changed: Type.Integer(),
  top_buckets: Type.Array(ReplayBucket, { description: 'The most changed events first.' }),
  examples: Type.Array(Type.String(), { description: 'Ids of some changed events.' }),
  unseen_votes: { ...ReplayAgreement, description: 'Beside votes that neither side was trained on.' },
  seen_votes: {
    ...ReplayAgreement,
    description: 'Beside votes that a side was trained on: how consistent it is, not how good.',
  },
  queue: { ...ReplayReach, description: 'Events that people have to look at.' },
  outputs: Type.Array(ReplayOutput, { description: 'Enabled steps that send events out.' }),
})

export const ReplayState = Type.Enum(['queued', 'running', 'finished', 'failed', 'cancelled'])

const replay = {
  replay_id: Type.String(),
  status: ReplayState,
  message: Type.String(),
  progress_percent: Type.Integer(),
  requested_by: Type.String(),
  requested_at: Timestamp,
  finished_at: nullable(Timestamp),
  start_date: Timestamp,
  end_date: Timestamp,
  model_id: nullable(Type.String({ description: 'Null: a model is trained for the replay.' })),
  against: nullable(Type.String({ description: 'Null: the stored decisions.' })),
  objective: nullable(Type.Unsafe<unknown>({ description: 'As `advanced_settings.objective`.' })),
  decision_points: nullable(Type.Array(Type.String())),
  without_analysts: Type.Array(Type.String()),
  threshold: nullable(Type.Number()),
}

export const ListedReplay = Type.Object(replay)

export const Replay = Type.Object({ ...replay, report: nullable(ReplayReport) })

export const ReplayList = Type.Object({ replays: Type.Array(ListedReplay, { description: 'Latest first.' }) })
