/** Votes, their withdrawal, and what they change. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { Exact, Name, nullable, Timestamp } from './common.js'
import { BucketState, Notes } from './events.js'
import { PickedBy } from './next.js'

const Scope = Type.Enum(['event', 'bucket'], {
  default: 'event',
  description: '`bucket`: the vote is about all events of the bucket, in place of your votes on single ones.',
})

const VotedAt = Type.Optional({
  ...Timestamp,
  description:
    'When the analyst said so, if the vote has waited for a connection; not in the future. Of two votes the ' +
    'later one stands, whichever arrives first. Default: now.',
})

const VoteId = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: limits.nameCharsMax,
    description: 'What you call the vote. A vote that is sent again with its id is the same vote.',
  }),
)

/** A vote without a body. */
export const FeedbackLabel = Type.Object({
  feedback_label: Type.String({ description: 'A label: its name in any case, its id, `label_n` or `class_n`.' }),
  storage_name: Type.Optional(
    Type.String({ description: 'Accepted and ignored: the event id is enough to find the event.' }),
  ),
  scope: Type.Optional(Scope),
  picked_by: Type.Optional(PickedBy),
  voted_at: VotedAt,
  vote_id: VoteId,
})

/** A vote. Older field names are accepted too. */
export const Feedback = Type.Object({
  cortex_user: Type.Optional(Name),
  username: Type.Optional(Name),
  feedback: Type.Optional(
    nullable(
      Type.String({ description: 'A label: its name in any case, its id, `label_n` or `class_n`. Null withdraws.' }),
    ),
  ),
  label: Type.Optional(Type.String({ description: 'An older name of `feedback`.' })),
  scope: Type.Optional(Scope),
  picked_by: Type.Optional(PickedBy),
  voted_at: VotedAt,
  vote_id: VoteId,
  closing_notes: Type.Optional(Notes),
  indicators: Type.Optional(Type.Unknown()),
})

/** A withdrawal without a body. */
export const FeedbackWithdrawal = Type.Object({
  cortex_user: Type.Optional(Name),
  scope: Type.Optional(Scope),
  voted_at: VotedAt,
})

/** Which vote is taken back. */
export const FeedbackUndo = Exact({
  voted_at: Type.Optional({ ...Timestamp, description: '`vote.voted_at` of the answer to the vote.' }),
  vote_id: Type.Optional({ ...VoteId, description: 'Its `vote_id`, in place of its time.' }),
  cortex_user: Type.Optional({ ...Name, description: 'The analyst; by default the owner of the key.' }),
})

const Answer = Type.Object({
  result: Type.String(),
  result_label: Type.String(),
  confidence_score: Type.Number({ minimum: 0, maximum: 100 }),
})

const OwnVote = Type.Object(
  { label: Type.String(), scope: Scope, voted_at: Timestamp, closing_notes: nullable(Type.String()) },
  { description: "The analyst's vote as it stands now; null without one." },
)

/** What a vote is about, before it is given. */
const reach = {
  bucket_id: nullable(Type.String({ description: 'Null if the job has no buckets.' })),
  applies_to_events: Type.Integer({ description: 'Stored events that the vote applies to: those of the bucket.' }),
  consensus: nullable(Type.String({ description: 'The name of a label, `Undecided`, or null without a vote.' })),
  split: Type.Record(Type.String(), Type.Integer(), {
    description: 'Voted events of the bucket by label; analysts, if the job has no buckets.',
  }),
  mixed: Type.Boolean({ description: 'The voted events of the bucket have more than one label.' }),
  bucket_state: BucketState,
} as const

export const FeedbackReach = Type.Object(reach)

/** The answer to a vote: what it changed. */
export const FeedbackOutcome = Type.Object({
  status: Type.String(),
  applied: Type.Boolean({
    description:
      'False: nothing has changed, because a later vote of the analyst stands, or the vote has changed since.',
  }),
  vote: nullable(OwnVote),
  ...reach,
  consensus_before: nullable(Type.String()),
  answer: nullable({
    ...Answer,
    description: 'How the next event of the bucket is answered; null without a model or without buckets.',
  }),
  answer_before: nullable(Answer),
})
