/** Why an event has its decision, what a body would be decided as, and similar events. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { Exact, nullable, Timestamp } from './common.js'
import { ConsensusView } from './consensus.js'
import { BucketState, EventStatus, NewEvent } from './events.js'
import { EvidenceLevel } from './jobs.js'

const share = { minimum: 0, maximum: 1 } as const
const EventId = Type.String()
const BucketId = nullable(Type.String({ description: 'Null where the job has no buckets.' }))
const ModelId = nullable(Type.String())
const Value = Type.Unknown({ description: 'Long texts and lists are cut.' })

const answer = {
  result: Type.String({ description: 'The id of a label, or empty without a decision.' }),
  result_label: Type.String(),
  confidence_score: Type.Number({ minimum: 0, maximum: 100 }),
  outlier_score: Type.Number({ minimum: 0, description: 'In nats; 2 % of the known events reach 3.9.' }),
}

export const FieldValue = Type.Object({ field: Type.String(), value: Value })

export const AnswerWithout = Type.Object({
  fields: Type.Array(FieldValue),
  ...answer,
  effect: Type.Number({
    description: 'By how many percentage points the label of the whole answer is less probable without the fields.',
  }),
})

export const DecisionSource = Type.Enum(['none', 'model', 'knowledge_base', 'ageing_model', 'untrained'], {
  description: 'Who decided.',
})

const explainedDecision = {
  status: EventStatus,
  ...answer,
  outlier: Type.Boolean(),
  source: DecisionSource,
  model: ModelId,
  by_earlier_model: Type.Boolean({ description: 'Another model decides new events.' }),
  reason: Type.String({ description: 'How the decision was made, as a sentence.' }),
  exact: Type.Union([Type.Boolean(), Type.Null()], {
    description:
      'True: what `model` says gives this very decision when it is computed again. Null: no model had a part in it.',
  }),
  inexact_reason: nullable(Type.String({ description: 'Why the decision cannot be computed again.' })),
  confidence_basis: EvidenceLevel,
  confidence_note: Type.String({ description: 'What its confidence rests on, where that is little; for people.' }),
}

export const ExplainedDecision = Type.Object(explainedDecision)

export const ExplainedOverride = Type.Object({ label: Type.String(), by: Type.String(), timestamp: Timestamp })

export const ExplainedVotes = Type.Object({
  bucket_id: BucketId,
  consensus: nullable(Type.String({ description: 'A label, `Undecided`, or null.' })),
  bucket_state: BucketState,
  override: nullable(ExplainedOverride),
  split: ConsensusView.properties.split,
  tied_events: Type.Integer(),
  mixed: Type.Boolean(),
  votes_count: Type.Integer(),
})

export const ModelAnswer = Type.Object(answer, {
  description: 'Its own answer, votes aside. Null where the event cannot be read by it any more.',
})

export const LabelProbabilities = Type.Record(Type.String(), Type.Number(share), {
  description: 'By the names of labels.',
})

export const LabelledNeighbour = Type.Object({
  event_id: EventId,
  result_label: Type.String({ description: 'The label that the model was trained with.' }),
  consensus: nullable(Type.String({ description: 'The consensus now.' })),
  bucket_id: BucketId,
  likeness: Type.Number({ ...share, description: '1: equal to the model.' }),
})

export const UnlikeField = Type.Object({
  field: Type.String(),
  value: Value,
  known: Type.Unknown({ description: 'The value of the nearest labelled event.' }),
  outlier_score: Type.Number({ description: 'The score of the event with that value.' }),
})

export const ExplainedModel = Type.Object({
  id: Type.String(),
  version: Type.Integer(),
  active: Type.Boolean({ description: 'It decides new events.' }),
  trained_at: Timestamp,
  voted_events: Type.Integer({ description: 'Voted events that it was trained on.' }),
  evidence_weight: nullable(
    Type.Number({
      description: 'How many voted events its answer counts as beside the votes on a bucket; null: not measured.',
    }),
  ),
  answer: nullable(ModelAnswer),
  probabilities: LabelProbabilities,
  fields: Type.Array(AnswerWithout, {
    description: 'The answer without each field that has a value, the largest effect first.',
  }),
  pair: nullable({ ...AnswerWithout, description: 'The answer without the two fields that matter most together.' }),
  pairs_tried: Type.Integer({ description: 'Of `pairs`. Where it is less, these are the fields of largest effect.' }),
  pairs: Type.Integer(),
  nearest: Type.Array(LabelledNeighbour, {
    description: 'The nearest of the labelled events that the model remembers.',
  }),
  outlier_threshold: Type.Number({ description: 'From this `outlier_score` on an event is an outlier.' }),
  unlike: Type.Array(UnlikeField, {
    description: 'The fields that make the event unlike the nearest labelled one, the largest change first.',
  }),
})

export const ExplainedCluster = Type.Object(
  { cluster_id: Type.String(), reason: Type.String() },
  { description: 'Why an alert of a root cause job is in its cluster.' },
)

const explanation = {
  in_words: Type.Array(Type.String(), {
    description: 'The whole in a few sentences, for people. They quote values of the event.',
  }),
  decision: ExplainedDecision,
  votes: nullable({ ...ExplainedVotes, description: 'Null where nobody has voted.' }),
  model: nullable({ ...ExplainedModel, description: 'The model of the decision. Null where none had a part in it.' }),
  cluster: nullable(ExplainedCluster),
}

export const Explanation = Type.Object(explanation)

export const EventExplanation = Type.Object({ event_id: EventId, ingest_timestamp: Timestamp, ...explanation })

/** The body of a new event, not stored. Published here; a reader thread validates it. */
export const WhatIfBody = Type.Object({
  ...Type.Omit(NewEvent, ['job_id']).properties,
  job_id: Type.Optional(NewEvent.properties.job_id),
  explain: Type.Optional(Type.Boolean({ description: 'Answer with the explanation, too.' })),
})

export const WhatIfAnswer = Type.Object({
  ...explainedDecision,
  bucket_state: BucketState,
  knowledge_base_state: { ...BucketState, description: 'The same as `bucket_state`.' },
  bucket_id: BucketId,
  known_bucket: Type.Boolean({ description: 'The job has events with these values at the decision points.' }),
  note: nullable(Type.String({ description: 'What would be different for an event that is sent.' })),
  explanation: Type.Optional(Explanation),
})

export const SimilarQuery = Exact({
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.similarShownMax, default: 10 })),
})

export const FieldDifference = Type.Object({ field: Type.String(), value: Value, other: Value })

export const SimilarEvent = Type.Object({
  event_id: nullable(Type.String({ description: 'The latest event of the bucket; null where it was deleted.' })),
  ingest_timestamp: nullable(Timestamp),
  '@timestamp': nullable(Timestamp),
  bucket_id: BucketId,
  events: Type.Integer({ description: 'Events with these values.' }),
  likeness: Type.Number({ ...share, description: '1: equal; 0: nothing in common.' }),
  result: Type.String(),
  result_label: Type.String(),
  consensus: nullable(Type.String()),
  differences: Type.Array(FieldDifference, {
    description: 'Where it differs: the value of the event, and its own.',
  }),
})

export const SimilarAnswer = Type.Object({
  event_id: EventId,
  bucket_id: BucketId,
  equal_events: Type.Integer({ description: 'Events with the same values at the decision points, with this one.' }),
  similar: Type.Array(SimilarEvent, { description: 'The most similar first.' }),
  compared: Type.Integer({ description: 'Buckets, or events, that were compared.' }),
  complete: Type.Boolean({ description: 'False: time was up before all were compared.' }),
  model: nullable(
    Type.String({ description: 'The model whose features were used; null: features follow from the events.' }),
  ),
})
