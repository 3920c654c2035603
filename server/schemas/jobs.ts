/** Jobs as the API shows them. */
import { Type } from 'typebox'
import { Name, nullable, Timestamp, WarningBody } from './common.js'

const MaybeTimestamp = nullable(Timestamp)

const LabelNames = Type.Array(Type.String())

export const EvidenceLevel = Type.Enum(['none', 'thin', 'enough'], {
  description:
    '`enough`: a confidence is a share that was measured on held-out votes of each label. `thin`: it is a guess. ' +
    '`none`: there is no decision of a model.',
})

export const VotesByLabel = Type.Record(Type.String(), Type.Integer(), {
  description: 'Voted events, by the name of their label.',
})

export const JobEvidence = Type.Object(
  {
    level: EvidenceLevel,
    voted_events: VotesByLabel,
    held_out_votes: { ...VotesByLabel, description: 'Held out from the training of the model in use, by label.' },
    held_out_votes_needed: Type.Integer({ description: 'So many of each label make the evidence `enough`.' }),
    labels_without_votes: LabelNames,
    labels_unknown_to_model: { ...LabelNames, description: 'The model in use never answers with these.' },
    message: Type.String({ description: 'The same, for people.' }),
  },
  { description: 'How far the votes carry the confidence of decisions.' },
)

export const Job = Type.Object({
  job_id: Type.Integer(),
  title: Type.String(),
  category: Type.String(),
  data_type: Type.String(),
  status: Type.Enum(['STARTED', 'STOPPED']),
  retrain_state: Type.Enum(['not_trained', 'queued', 'training', 'RETRAIN_FINISHED', 'RETRAIN_FAILED']),
  retrain_msg: Type.String({ description: 'For people: how far the training is, or how it ended.' }),
  model_state: Type.Enum(['none', 'current', 'ageing'], {
    description:
      'Whether recent events still confirm the model. An ageing model gives lower confidence until it is trained ' +
      'again.',
  }),
  model_msg: Type.String({ description: 'The model state, for people.' }),
  model_ageing_since: nullable({ ...Timestamp, description: 'Since when the model is ageing.' }),
  labels: Type.Array(Type.String()),
  features: Type.Array(Type.String(), { description: 'The decision points.' }),
  processed_documents_count: Type.Integer(),
  feedback_documents_count: Type.Integer(),
  last_processed_timestamp: Type.String({
    description: 'When the latest event arrived, ISO 8601 UTC with microseconds; empty before the first one.',
  }),
  last_feedback_timestamp: MaybeTimestamp,
  time_zone: Type.String({ description: 'The zone of its schedules and messages; times of the API are in UTC.' }),
  next_training_at: nullable({ ...Timestamp, description: 'When the next scheduled training is due.' }),
  last_train_start_timestamp: MaybeTimestamp,
  last_train_finished_timestamp: MaybeTimestamp,
  undecided_documents_count: Type.Integer({
    description: 'Stored events without a decision: the job had no model, or they lack the decision points.',
  }),
  evidence: JobEvidence,
  warnings: Type.Array(WarningBody, {
    description: 'What will probably not do what people want of the job; `loc` is in its properties.',
  }),
  invalid: Type.Boolean({ description: 'The job cannot decide: it has no decision points.' }),
})

export const Labels = Type.Array(Type.String())

export const JobName = Type.Object({ job_name: Type.String() })

/** Who requests a training; in the query, the body, both or neither. */
export const TrainedBy = Type.Object({
  username: Type.Optional({ ...Name, description: 'Who the audit log names; default: the key.' }),
})

export const TrainAnswer = Type.Object({ status: Type.String(), error_message: Type.String() })
