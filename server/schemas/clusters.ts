/** Clusters of root cause analysis jobs. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { Exact, nullable, Timestamp } from './common.js'

const next = nullable(Type.String({ description: 'Pass it as `after` to get the next page; null on the last page.' }))

export const ClusterListQuery = Exact({
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.clustersPageMax, default: 20 })),
  after: Type.Optional(Type.String({ maxLength: 64, description: '`next` of the previous page.' })),
  state: Type.Optional(Type.Enum(['open', 'closed'])),
  min_size: Type.Optional(Type.Integer({ minimum: 1, description: 'Least number of alerts in a cluster.' })),
  start_date: Type.Optional(
    Type.String({
      description:
        'Clusters whose last alert is at this time or later, by the time in the alerts. ISO 8601; UTC without an ' +
        'offset.',
    }),
  ),
  end_date: Type.Optional(Type.String({ description: 'Clusters whose first alert is before this time.' })),
})

export const ClusterTreeQuery = Exact({
  size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.clusterMembersPageMax,
      default: 200,
      description: 'Alerts on a page, at any depth.',
    }),
  ),
  after: Type.Optional(Type.String({ maxLength: 64, description: '`next` of the previous page.' })),
})

export const ClusterView = Type.Object({
  cluster_id: Type.String(),
  state: Type.Enum(['open', 'closed'], {
    description: '`open`: the cluster still takes alerts, and decisions in it may change.',
  }),
  size: Type.Integer({ description: 'Number of alerts.' }),
  first_time: Timestamp,
  last_time: Timestamp,
  root_causes: Type.Array(
    Type.Object({
      event_id: Type.String(),
      time: Timestamp,
      kind: Type.String(),
      about: Type.String(),
      followers: Type.Integer({ description: 'Alerts that follow directly from this one.' }),
    }),
    { description: 'Alerts that follow from no other alert, but others follow from them; likeliest cause first.' },
  ),
  merged_from: Type.Array(Type.String(), { description: 'Clusters that were merged into this one.' }),
  cut: Type.Boolean({ description: 'The lists may be incomplete: there may be more root causes or merged clusters.' }),
})

export const FollowsFrom = Type.Object({
  event_id: Type.String(),
  kind: Type.String(),
  side: Type.Enum(['same', 'mutual', 'earlier_lists_later', 'later_lists_earlier']),
  delay_s: Type.Number(),
  belief: Type.Number({ minimum: 0, maximum: 1 }),
})

export const Suggestion = Type.Object(
  {
    result: Type.String(),
    result_label: Type.String(),
    confidence_score: Type.Number(),
    source: Type.String({ description: '`untrained`.' }),
  },
  { description: 'What the cluster says of an alert that has no decision.' },
)

export const ClusterMember = Type.Object({
  event_id: Type.String(),
  time: Timestamp,
  kind: Type.String(),
  about: Type.String({ description: "The value of the job's id field." }),
  result: Type.String(),
  result_label: Type.String(),
  confidence_score: Type.Number(),
  suggestion: nullable(Suggestion),
  follows_from: nullable(FollowsFrom),
  followers: Type.Integer(),
  members: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'The alerts on this page that follow from this one, in the same form.',
  }),
})

export const ClusterPage = Type.Object({
  clusters: Type.Array(ClusterView),
  total: Type.Integer({ description: 'All clusters of the job, regardless of filters.' }),
  next,
})

export const ClusterTree = Type.Object({
  cluster: ClusterView,
  members: Type.Array(ClusterMember, { description: 'The alerts on this page that follow from no other alert on it.' }),
  next,
})
