/** Consensus, overrides and disagreements on the wire. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { nullable, Timestamp } from './common.js'

export const OverrideBody = Type.Object({
  consensus: Type.Optional(Type.String({ description: "A label's name in any case, its id, label_n or class_n." })),
  label: Type.Optional(Type.String({ description: 'The same under another name.' })),
})

export const ConsensusView = Type.Object({
  bucket_id: nullable(Type.String({ description: 'null where the job has no buckets.' })),
  event_id: nullable(Type.String({ description: 'The event, where the job has no buckets.' })),
  events_count: Type.Integer({ description: 'Events that it decides.' }),
  decision_points: nullable(
    Type.Object({}, { additionalProperties: true, description: 'The values that the events share.' }),
  ),
  consensus: nullable(Type.String({ description: "A label's name, `Undecided`, or null without a vote." })),
  bucket_state: Type.Enum(['new', 'pending', 'in_knowledge_base', 'retrain']),
  overridden: Type.Boolean(),
  override: nullable(Type.Object({ label: Type.String(), user: Type.String(), timestamp: Timestamp })),
  votes: Type.Array(
    Type.Object({
      analyst: Type.String(),
      label: Type.String(),
      timestamp: Timestamp,
      event_id: nullable(
        Type.String({ description: 'The event voted on; null where another version has taken its place.' }),
      ),
      closing_notes: Type.Optional(
        nullable(
          Type.String({
            description:
              'What the analyst wrote beside it; not in lists. Of more than 1 MiB on a bucket the latest are kept.',
          }),
        ),
      ),
      indicators: Type.Optional(Type.Unknown({ description: 'What came with it, as it came, or null; not in lists.' })),
    }),
    { description: 'The latest of each analyst.' },
  ),
})

export const DisagreementQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, description: 'From 0.' })),
  size: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.disagreementsPageMax, default: 20 })),
  overridden: Type.Optional(Type.Boolean({ description: 'Only those with an override, or only those without.' })),
  undecided: Type.Optional(Type.Boolean({ description: 'Only ties, or only those that are none.' })),
})

export const DisagreementPage = Type.Object({
  disagreements: Type.Array(ConsensusView),
  total_count: Type.Integer(),
  total_count_is_exact: Type.Boolean({ description: 'False where counting took too long: there are as many or more.' }),
  page: Type.Integer(),
  size: Type.Integer(),
})
