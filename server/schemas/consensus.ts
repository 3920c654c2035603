/** Consensus, overrides and disagreements. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { Exact, nullable, Timestamp } from './common.js'
import { PickedBy } from './next.js'

export const OverrideBody = Type.Object({
  consensus: Type.Optional(
    Type.String({ description: 'A label: its name in any case, its id, `label_n` or `class_n`.' }),
  ),
  label: Type.Optional(Type.String({ description: 'Another name of `consensus`.' })),
})

export const ConsensusView = Type.Object({
  bucket_id: nullable(Type.String({ description: 'Null if the job has no buckets.' })),
  event_id: nullable(Type.String({ description: 'The event, if the job has no buckets.' })),
  events_count: Type.Integer({ description: 'Number of events that share this consensus.' }),
  decision_points: nullable(
    Type.Object({}, { additionalProperties: true, description: 'The values that the events share.' }),
  ),
  consensus: nullable(Type.String({ description: 'The name of a label, `Undecided`, or null without a vote.' })),
  bucket_state: Type.Enum(['new', 'pending', 'in_knowledge_base', 'retrain']),
  overridden: Type.Boolean(),
  override: nullable(Type.Object({ label: Type.String(), user: Type.String(), timestamp: Timestamp })),
  split: Type.Record(Type.String(), Type.Integer(), {
    description: 'Voted events by label; analysts, if the job has no buckets.',
  }),
  tied_events: Type.Integer({ description: 'Voted events whose analysts are tied: they say nothing.' }),
  mixed: Type.Boolean({ description: 'The voted events have more than one label: none has nine of ten.' }),
  votes_count: Type.Integer({ description: 'Number of stored votes.' }),
  votes: Type.Array(
    Type.Object({
      analyst: Type.String(),
      label: Type.String(),
      timestamp: Timestamp,
      event_id: nullable(Type.String({ description: 'The event voted on; null if a newer version has replaced it.' })),
      picked_by: Type.Optional(PickedBy),
      scope: Type.Optional(Type.Enum(['bucket'], { description: 'Present for a vote on the whole bucket.' })),
      counts_for_events: Type.Optional(Type.Integer({ description: 'Events that a vote on the bucket counts for.' })),
      closing_notes: Type.Optional(
        nullable(
          Type.String({
            description: "The analyst's notes; not in lists. An event keeps its latest notes, up to 1 MiB.",
          }),
        ),
      ),
      indicators: Type.Optional(
        Type.Unknown({ description: 'Indicators as sent with the vote, or null; not in lists.' }),
      ),
    }),
    { description: "Each analyst's latest vote on each event, oldest first; the latest 1,000." },
  ),
})

export const DisagreementQuery = Exact({
  page: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Page number, from 0.' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.disagreementsPageMax, default: 20 })),
  overridden: Type.Optional(Type.Boolean({ description: 'True: only with an override; false: only without.' })),
  undecided: Type.Optional(Type.Boolean({ description: 'True: only ties; false: no ties.' })),
})

export const MixedQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'Page number, from 0.' }),
  ),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.disagreementsPageMax, default: 20 })),
})

export const MixedPage = Type.Object({
  mixed_buckets: Type.Array(ConsensusView, { description: 'The largest first; `split` has their votes.' }),
  separating_fields: Type.Array(
    Type.Object({
      field: Type.String({ description: 'A path that is no decision point yet.' }),
      gain: Type.Number({ description: 'Held-out gain in log-likelihood, nats for each voted event.' }),
      values: Type.Integer({ description: 'Different values among the voted events.' }),
      buckets: Type.Integer({ description: 'Buckets that the voted events would be in.' }),
    }),
    { description: 'Fields that tell the events of these buckets apart, best first.' },
  ),
  voted_events: Type.Integer({ description: 'Voted events that the fields were ranked by.' }),
  total_count: Type.Integer(),
  total_count_is_exact: Type.Boolean({ description: 'False if counting took too long: there may be more.' }),
  page: Type.Integer(),
  size: Type.Integer(),
})

export const NewDecisionPoints = Type.Object({
  add: Type.Array(Type.String({ minLength: 1, maxLength: limits.decisionPointCharsMax }), {
    minItems: 1,
    maxItems: limits.decisionPointsMax,
    description: 'Paths into the event, in dot notation. Those that are decision points already change nothing.',
  }),
})

export const DecisionPointsAnswer = Type.Object({
  decision_points: Type.Array(Type.String(), { description: 'All decision points of the job now.' }),
  training: Type.String({ description: '`queued`, or a sentence that says why no training was started.' }),
})

export const DisagreementPage = Type.Object({
  disagreements: Type.Array(ConsensusView),
  total_count: Type.Integer(),
  total_count_is_exact: Type.Boolean({
    description: 'False if counting took too long; `total_count` is then a lower bound.',
  }),
  page: Type.Integer(),
  size: Type.Integer(),
})
