/** Jobs as the input operations show them. */
import { Type } from 'typebox'
import { Name, nullable, Timestamp } from './common.js'

const MaybeTimestamp = nullable(Timestamp)

export const Job = Type.Object({
  job_id: Type.Integer(),
  title: Type.String(),
  category: Type.String(),
  data_type: Type.String(),
  status: Type.Enum(['STARTED', 'STOPPED']),
  retrain_state: Type.Enum(['not_trained', 'queued', 'training', 'RETRAIN_FINISHED', 'RETRAIN_FAILED']),
  retrain_msg: Type.String({ description: 'For people: how far a training is, or how it ended.' }),
  model_state: Type.Enum(['none', 'current', 'ageing'], {
    description:
      'Whether the stream still bears the model out. An ageing one gives lower confidence until it is trained again.',
  }),
  model_msg: Type.String({ description: 'The same, for people.' }),
  labels: Type.Array(Type.String()),
  features: Type.Array(Type.String(), { description: 'The decision points.' }),
  processed_documents_count: Type.Integer(),
  feedback_documents_count: Type.Integer(),
  last_processed_timestamp: MaybeTimestamp,
  last_feedback_timestamp: MaybeTimestamp,
  last_train_start_timestamp: MaybeTimestamp,
  last_train_finished_timestamp: MaybeTimestamp,
  invalid: Type.Boolean({ description: 'The set-up cannot lead to a decision: no decision points.' }),
})

export const Labels = Type.Array(Type.String())

export const JobName = Type.Object({ job_name: Type.String() })

/** Who asks for a training; in the query, in the body, in both or in neither. */
export const TrainedBy = Type.Object({
  username: Type.Optional({ ...Name, description: 'Whom the audit log names; by itself the key.' }),
})

export const TrainAnswer = Type.Object({ status: Type.String(), error_message: Type.String() })
