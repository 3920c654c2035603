/** Quality on events that the service had not been told about (S26), and agreement with votes, which is none. */
import { Type } from 'typebox'
import { nullable } from './common.js'

const Count = Type.Integer({ minimum: 0 })
const Share = Type.Number({ minimum: 0, maximum: 1 })

export const MeasuredShare = Type.Object(
  {
    value: nullable(Share),
    low: nullable(Share),
    high: nullable(Share),
    events: Count,
  },
  { description: 'A figure with its 95 % interval. Null from fewer than 30 events: not enough yet.' },
)

export const ReliabilityBin = Type.Object({
  from: Share,
  to: Share,
  events: Count,
  right: Count,
  mean_confidence: nullable(Share),
  share_right: MeasuredShare,
})

export const LabelQuality = Type.Object({
  precision: MeasuredShare,
  recall: MeasuredShare,
  right: Type.Integer({ minimum: 0, description: 'Events with this truth that were answered so; of `recall.events`.' }),
  reliability: Type.Array(ReliabilityBin, {
    description: 'Answers of this label in ten bins of confidence: the share right beside the mean confidence.',
  }),
})

export const CommonestLabel = Type.Object(
  { label: nullable(Type.String()), share: MeasuredShare },
  { description: 'The label that analysts gave most often. Always answering with it is right in this share.' },
)

export const QualityByLabel = Type.Record(Type.String(), LabelQuality)

export const QualityReport = Type.Object({
  events: Type.Integer({ minimum: 0, description: 'Events whose decision is scored.' }),
  enough: Type.Boolean(),
  message: nullable(
    Type.String({ description: '`not enough yet`, with the number of events; null if there are enough.' }),
  ),
  accuracy: MeasuredShare,
  commonest: CommonestLabel,
  macro_f1: MeasuredShare,
  expected_calibration_error: nullable(Type.Number({ minimum: 0 })),
  per_label: QualityByLabel,
})

export const JobQuality = Type.Object(
  {
    new_buckets: { ...QualityReport, description: 'Decided without any vote on their bucket.' },
    known_buckets: {
      ...QualityReport,
      description: 'Decided with votes on other events of their bucket, and none on the event itself.',
    },
  },
  { description: 'Voted events, each scored by the decision that it had before the first vote on it.' },
)

export const ModelQuality = Type.Object({
  held_out: { ...QualityReport, description: 'Of events that were held out from the training.' },
  since_training: JobQuality,
})

export const AgreementWithVotes = Type.Object(
  {
    matrix: Type.Array(Type.Array(Count), { description: 'Rows: consensus; columns: decision.' }),
    events: Count,
    share: nullable(Share),
  },
  {
    description:
      'Decisions beside the consensus of today. Most were made from the same votes, so this says how consistent they ' +
      'are, not how good.',
  },
)
