/** Labels to ask for next. */
import { Type } from 'typebox'
import { pickers, selectionBounds } from '../../engine/index.js'
import { Exact, Name, nullable, Timestamp } from './common.js'

/** What picked an event that is voted on. */
export const PickedBy = Type.Enum([...pickers], {
  description:
    '`rule`: the most valuable label. `uniform`: drawn at random. `hunt`: unlike all that was voted on. ' +
    "`dissent`: analysts disagree. `flipped`: the consensus changed since the training. `queue`: people's queue. " +
    '`second_look`: a vote that the model doubts.',
})

export const NextQuery = Exact({
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: selectionBounds.nextMax, default: 10 })),
  cortex_user: Type.Optional(Name),
})

export const NextPage = Type.Object({
  next: Type.Array(
    Type.Object({
      event_id: Type.String(),
      ingest_timestamp: Timestamp,
      '@timestamp': Timestamp,
      title: nullable(Type.String()),
      decision_points: Type.Object({}, { additionalProperties: true }),
      bucket_id: nullable(Type.String({ description: 'Null if the job has no buckets.' })),
      applies_to_events: Type.Integer({ description: 'Stored events that the vote applies to.' }),
      result: Type.String(),
      result_label: Type.String(),
      confidence_score: Type.Number(),
      outlier: Type.Boolean(),
      picked_by: PickedBy,
      reason: Type.String({ description: 'Why it is asked for, for people.' }),
      promise: nullable(
        Type.Object(
          {
            events: Type.Integer({ description: 'Events of the bucket that are expected.' }),
            days: Type.Integer(),
            message: Type.String({ description: 'The same as a sentence, with how earlier promises were kept.' }),
          },
          { description: 'What the vote settles; null if the job has no buckets.' },
        ),
      ),
    }),
  ),
  promises: Type.Object({
    measured: Type.Integer({ description: 'Promises of the last 90 days whose time is over, the latest 50 at most.' }),
    kept: nullable(
      Type.Number({ description: 'The share of the promised events that came and were settled, 0 to 1.' }),
    ),
  }),
  drawn: Type.Object(
    {
      votes: Type.Integer({ description: 'Held-out votes of the last training on events that were drawn.' }),
      right: nullable(Type.Number({ description: 'The share of them that the model answers rightly, 0 to 1.' })),
    },
    { description: 'How often the model is right where nobody chose the events: on a fair sample.' },
  ),
  surveyed: Type.Integer({ description: 'Buckets, or events, that were looked at.' }),
  unvoted: Type.Integer({ description: 'Those of them that nobody has voted on.' }),
  is_complete: Type.Boolean({ description: 'False if the job has more than are looked at.' }),
})

export const SecondLookQuery = Exact({
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: selectionBounds.nextMax, default: 20 })),
  order: Type.Optional(
    Type.Enum(['doubt', 'gain'], { description: '`gain`: the largest expected gain first.', default: 'doubt' }),
  ),
})

export const SecondLookPage = Type.Object({
  votes: Type.Array(
    Type.Object({
      event_id: Type.String(),
      ingest_timestamp: Timestamp,
      bucket_id: nullable(Type.String({ description: 'Null if the job has no buckets.' })),
      applies_to_events: Type.Integer({ description: 'Stored events that the vote applies to.' }),
      label: Type.String({ description: 'What people said of the event.' }),
      analysts: Type.Array(Type.String()),
      suggested_label: Type.String({ description: 'What the model says, asked without the vote.' }),
      label_probability: Type.Number({ description: 'What the model gives the label of the vote, 0 to 1.' }),
      suggested_probability: Type.Number(),
      wrong_probability: Type.Number({ description: 'The chance that the vote is wrong, 0 to 1.' }),
      picked_by: PickedBy,
      expected_gain: Type.Object({
        events: Type.Number({ description: 'Events that would be answered rightly in place of wrongly, on average.' }),
        days: Type.Integer(),
        message: Type.String(),
      }),
    }),
  ),
  model: nullable(Type.String({ description: 'The model that doubts; null without one.' })),
})
