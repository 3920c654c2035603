/** Events as clients send and receive them. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { Name, nullable, Timestamp } from './common.js'

const JobId = Type.Union([Type.Integer(), Type.String({ pattern: '^\\d+$' })], {
  description: 'Id of the job; a number or a numeric string.',
})
const RawBody = Type.Object({}, { additionalProperties: true, description: 'The event itself, any JSON object.' })
const extras = {
  title: Type.Optional(Type.String()),
  severity: Type.Optional(Type.Unknown()),
  storage_tag: Type.Optional(Type.String()),
}

/** A new event, or one line of a stream. Published here; the job's thread validates it. */
export const EventLine = Type.Object({
  job_id: JobId,
  event_id: Type.Optional(
    Type.Union([Type.String(), Type.Number()], {
      description: 'The same id with the same body is the same event. Default: the service makes an id.',
    }),
  ),
  raw_body: RawBody,
  ...extras,
})
export const NewEvent = Type.Object({ ...EventLine.properties })

export const EventStatus = Type.Enum(['pending_inference', 'OK', 'ERROR'])
export const BucketState = Type.Enum(['new', 'pending', 'in_knowledge_base', 'retrain'])
const decision = {
  result: Type.String({ description: 'The decision: the id of a label, or empty without a decision.' }),
  result_label: Type.String({ description: 'The name of the label, or empty.' }),
  bucket_state: BucketState,
  autonomy: Type.Optional(
    Type.Enum(['settled', 'review', 'audit'], {
      description:
        'With a safety contract: settled by the job itself, or for people. Only administrators are shown an audit.',
    }),
  ),
  outlier: Type.Boolean({ description: 'The event is very different from everything the model was trained on.' }),
  confidence_score: Type.Number({ minimum: 0, maximum: 100, description: 'Percent, two decimals.' }),
}
export const ErrorMessage = nullable(Type.String())

export const PostEventQuery = Type.Object({
  wait: Type.Optional(
    Type.Boolean({
      description:
        'Answer with the decision, as GET shows it. After two seconds without one the answer is the usual one.',
    }),
  ),
})

/** The answer to a new event; with `wait=true` it has the decision. */
export const IngestedEvent = Type.Object({
  event_id: Type.String(),
  job_id: Type.Integer(),
  ingest_timestamp: Timestamp,
  status: EventStatus,
  error_message: ErrorMessage,
  ...Type.Partial(Type.Object({ ...decision, knowledge_base_state: BucketState })).properties,
})

export const EventView = Type.Object({
  event_id: Type.String(),
  ingest_timestamp: Timestamp,
  status: EventStatus,
  ...decision,
  knowledge_base_state: { ...BucketState, description: 'The same as `bucket_state`.' },
  error_message: ErrorMessage,
})

export const StoredBefore = Type.Enum(['replaced', 'same'], {
  description:
    'Absent for a new event. `replaced`: it took the place of an earlier version with its id. `same`: it was there ' +
    'already, and nothing was stored.',
})

/** The result of a line whose event is stored. */
export const DecidedLine = Type.Object({
  event_id: Type.String(),
  job_id: Type.Integer(),
  ingest_timestamp: Timestamp,
  status: EventStatus,
  ...decision,
  error_message: ErrorMessage,
  stored: Type.Optional(StoredBefore),
})

/** The result of a line that was refused. It alone has a `status_code`. */
export const RefusedLine = Type.Object({
  status: Type.Literal('ERROR'),
  status_code: Type.Integer({ description: 'The status that a single POST would have got.' }),
  error: Type.String(),
  job_id: Type.Optional(Type.Integer()),
})

/** One line of the answer to a stream. */
export const ResultLine = Type.Union([DecidedLine, RefusedLine])

export const Notes = Type.String({ maxLength: limits.textCharsMax })

/** Historic events with their labels. Published here; the engine validates them. */
export const HistoricEvents = Type.Object({
  count: Type.Optional(Type.Integer()),
  events: Type.Array(
    Type.Object({
      job_id: Type.Optional(JobId),
      event_id: EventLine.properties.event_id,
      raw_body: RawBody,
      ...extras,
      label: Type.Optional(
        Type.Object({
          cortex_user: Type.Optional(Name),
          feedback: Type.Optional(
            nullable(Type.String({ description: 'A label, as in feedback; null, empty or `<empty>` is no vote.' })),
          ),
          closing_notes: Type.Optional(Notes),
        }),
      ),
    }),
    { maxItems: limits.historicEventsMax },
  ),
})
