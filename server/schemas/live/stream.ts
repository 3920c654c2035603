/** The stream of what happens in jobs. */
import { Type, type TProperties } from 'typebox'
import { limits, streamTypes } from '../../../engine/index.js'
import { ClusterView } from '../clusters.js'
import { Exact, nullable, Timestamp } from '../common.js'
import { QueryText } from '../queries.js'
import { BucketState, EventView } from '../events.js'

export const StreamType = Type.Enum([...streamTypes])

export const StreamQuery = Exact({
  job_id: Type.Optional(
    Type.Array(Type.Integer({ minimum: 0 }), {
      maxItems: limits.streamJobsMax,
      description: 'Jobs; repeated or separated by commas. Default: all that the key may see.',
    }),
  ),
  types: Type.Optional(Type.Array(StreamType, { description: 'What to be told of. Default: all of it.' })),
  filters: Type.Optional(
    Type.String({
      maxLength: 64 * 1024,
      description:
        'Filters as JSON text, as in `events/query`. They hold for decisions, clusters and votes on single events.',
    }),
  ),
  query: Type.Optional(QueryText),
  last_event_id: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'The `id` of the last message that the client has; the header `Last-Event-ID` means the same.',
    }),
  ),
})

const job_id = Type.Integer()
const event_id = Type.String()

export const DecisionReason = Type.Enum(['decided', 'decided_again'])
export const VoteAction = Type.Enum([
  'voted',
  'voted_on_bucket',
  'taken_back',
  'withdrawn',
  'withdrawn_from_bucket',
  'overridden',
  'override_withdrawn',
])
export const StreamedTrainingState = Type.Enum(['requested', 'finished', 'failed'])

export const StreamedDecision = Type.Object({
  job_id,
  event_id,
  ingest_timestamp: Timestamp,
  reason: DecisionReason,
  result: Type.String(),
  result_label: Type.String(),
  confidence_score: Type.Number({ minimum: 0, maximum: 100 }),
  outlier: Type.Boolean(),
  bucket_id: nullable(Type.String()),
  bucket_state: BucketState,
  autonomy: EventView.properties.autonomy,
  title: Type.Optional(Type.String()),
  severity: Type.Optional(Type.Unknown()),
  storage_tag: Type.Optional(Type.String()),
})

export const StreamedVote = Type.Object({
  job_id,
  event_id: nullable(Type.String({ description: 'Null for an override of a bucket.' })),
  bucket_id: nullable(Type.String()),
  action: VoteAction,
  analyst: Type.String(),
  label: nullable(Type.String()),
  label_before: nullable(Type.String()),
  consensus: nullable(Type.String({ description: 'What the bucket or the event is now: a label or `Undecided`.' })),
  consensus_before: nullable(Type.String()),
  at: Timestamp,
})

export const StreamedTraining = Type.Object({
  job_id,
  state: StreamedTrainingState,
  model: Type.String(),
  message: nullable(Type.String()),
  by: Type.String(),
  at: Timestamp,
})

export const StreamedCluster = Type.Object({
  job_id,
  event_id: Type.String({ description: 'The alert that came into the cluster.' }),
  cluster: ClusterView,
})

export const StreamReady = Type.Object({ jobs: Type.Array(Type.Integer()) })

export const StreamGap = Type.Object({ job_id, before: Timestamp, message: Type.String() })

export const Heartbeat = Type.Object({})

function messageOf<T extends string, D extends TProperties>(type: T, data: ReturnType<typeof Type.Object<D>>) {
  return Type.Object({ id: Type.String(), type: Type.Literal(type), data })
}

export const ReadyMessage = messageOf('ready', StreamReady)
export const DecisionMessage = messageOf('decision', StreamedDecision)
export const VoteMessage = messageOf('vote', StreamedVote)
export const TrainingMessage = messageOf('training', StreamedTraining)
export const ClusterMessage = messageOf('cluster', StreamedCluster)
export const GapMessage = messageOf('gap', StreamGap)
export const HeartbeatMessage = messageOf('heartbeat', Heartbeat)

/** One message. Over HTTP `type` is its `event`, and `data` is JSON. */
export const StreamMessage = Type.Union([
  ReadyMessage,
  DecisionMessage,
  VoteMessage,
  TrainingMessage,
  ClusterMessage,
  GapMessage,
  HeartbeatMessage,
])
