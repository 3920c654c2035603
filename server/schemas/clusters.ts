/** Clusters of root cause jobs on the wire. */
import { Type } from 'typebox'
import { limits } from '../../engine/index.js'
import { nullable, Timestamp } from './common.js'

const next = nullable(Type.String({ description: 'Give it back as `after` for the next page; null on the last one.' }))

export const ClusterListQuery = Type.Object({
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.clustersPageMax, default: 20 })),
  after: Type.Optional(Type.String({ maxLength: 64, description: '`next` of the page before.' })),
  state: Type.Optional(Type.Enum(['open', 'closed'])),
  min_size: Type.Optional(Type.Integer({ minimum: 1, description: 'Alerts that a cluster has at least.' })),
  start_date: Type.Optional(
    Type.String({
      description:
        'Clusters whose last alert is not before it, by the time that alerts carry. ISO 8601; UTC where no offset is given.',
    }),
  ),
  end_date: Type.Optional(Type.String({ description: 'Clusters whose first alert is before it.' })),
})

export const ClusterTreeQuery = Type.Object({
  size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.clusterMembersPageMax,
      default: 200,
      description: 'Alerts, however deep.',
    }),
  ),
  after: Type.Optional(Type.String({ maxLength: 64, description: '`next` of the page before.' })),
})

export const ClusterView = Type.Object({
  cluster_id: Type.String(),
  state: Type.Enum(['open', 'closed'], { description: 'open: takes in alerts, and decisions in it may change.' }),
  size: Type.Integer({ description: 'Alerts.' }),
  first_time: Timestamp,
  last_time: Timestamp,
  root_causes: Type.Array(
    Type.Object({
      event_id: Type.String(),
      time: Timestamp,
      kind: Type.String(),
      about: Type.String(),
      followers: Type.Integer({ description: 'Alerts that follow from it directly.' }),
    }),
    { description: 'Alerts that others follow from and that follow from none; the likeliest cause first.' },
  ),
  merged_from: Type.Array(Type.String(), { description: 'Clusters that have become part of it.' }),
  cut: Type.Boolean({ description: 'There may be more root causes, or clusters that belong here, than it remembers.' }),
})

export const FollowsFrom = Type.Object({
  event_id: Type.String(),
  kind: Type.String(),
  side: Type.Enum(['same', 'mutual', 'earlier_lists_later', 'later_lists_earlier']),
  delay_s: Type.Number(),
  belief: Type.Number({ minimum: 0, maximum: 1 }),
})

export const ClusterMember = Type.Object({
  event_id: Type.String(),
  time: Timestamp,
  kind: Type.String(),
  about: Type.String({ description: 'The value of the id field.' }),
  result: Type.String(),
  result_label: Type.String(),
  confidence_score: Type.Number(),
  follows_from: nullable(FollowsFrom),
  followers: Type.Integer(),
  members: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'The alerts of this page that follow from it, likewise.',
  }),
})

export const ClusterPage = Type.Object({
  clusters: Type.Array(ClusterView),
  total: Type.Integer({ description: 'All clusters of the job, whatever is filtered.' }),
  next,
})

export const ClusterTree = Type.Object({
  cluster: ClusterView,
  members: Type.Array(ClusterMember, { description: 'Those of this page that follow from none on it.' }),
  next,
})
