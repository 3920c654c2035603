/** Clusters of root cause analysis jobs: the list, and one cluster as a tree. */
import {
  answerDocument,
  clusterDocument,
  isoMillis,
  linkDocument,
  type ClusterMember,
  type FollowsFrom,
  type Scope,
} from '../../engine/index.js'
import { operation, type Route } from '../http/route.js'
import { ClusterListQuery, ClusterPage, ClusterTree, ClusterTreeQuery } from '../schemas/clusters.js'
import { jobFromPath } from './job-reference.js'
import { momentOf } from './moment.js'

const tag = 'Root cause analysis'
const read: Scope = 'read:event_query'
const LIST_SIZE = 20
const TREE_SIZE = 200

/** The engine's sides are those of the schema. */
function linkWire(link: FollowsFrom) {
  const document = linkDocument(link)
  return { ...document, side: document.side as 'same' }
}

interface MemberWire {
  readonly [name: string]: unknown
  readonly members: MemberWire[]
}

function memberWire(member: ClusterMember): MemberWire & ReturnType<typeof ownWire> {
  return { ...ownWire(member), members: member.members.map(memberWire) }
}

function ownWire(member: ClusterMember) {
  return {
    event_id: member.eventId,
    time: isoMillis(member.timeMs),
    kind: member.kind,
    about: member.about,
    result: member.result,
    result_label: member.resultLabel,
    confidence_score: member.confidenceScore,
    suggestion: member.suggestion === null ? null : answerDocument(member.suggestion),
    follows_from: member.followsFrom === null ? null : linkWire(member.followsFrom),
    followers: member.followers,
  }
}

const list = operation({
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/clusters',
  operationId: 'listClusters',
  tag,
  summary: 'List the clusters of a root cause analysis job',
  description:
    'The latest start comes first. A page may hold fewer clusters than `size` without being the last page: go on ' +
    'while `next` is not null. Jobs of other categories have no clusters.',
  scope: read,
  query: ClusterListQuery,
  responses: { 200: { description: 'A page of clusters.', schema: ClusterPage } },
  errors: [404],
  handle({ app, principal, params, query }) {
    const { size = LIST_SIZE, after, state, min_size: alertsMin } = query
    const fromMicros = momentOf('start_date', query.start_date)
    const toMicros = momentOf('end_date', query.end_date)
    const { clusters, total, next } = app.service.clusters.list(jobFromPath(app, principal, params[0]!), {
      size,
      ...(after === undefined ? {} : { after }),
      ...(state === undefined ? {} : { state }),
      ...(alertsMin === undefined ? {} : { alertsMin }),
      ...(fromMicros === undefined ? {} : { fromMs: fromMicros / 1000 }),
      ...(toMicros === undefined ? {} : { toMs: toMicros / 1000 }),
    })
    return { clusters: clusters.map(clusterDocument), total, next }
  },
})

const tree = operation({
  method: 'GET',
  path: '/api/v2/jobs/{job_id}/clusters/{cluster_id}',
  operationId: 'getCluster',
  tag,
  summary: 'Get a cluster with its alerts as a tree',
  description:
    'If the cluster was merged into another one, the answer shows the other. An alert whose cause is on an earlier ' +
    'page is at the top of the tree, with the cause in `follows_from`.',
  scope: read,
  query: ClusterTreeQuery,
  responses: { 200: { description: 'The cluster.', schema: ClusterTree } },
  errors: [404],
  handle({ app, principal, params, query }) {
    const { size = TREE_SIZE, after } = query
    const found = app.service.clusters.tree(jobFromPath(app, principal, params[0]!), params[1]!, {
      size,
      ...(after === undefined ? {} : { after }),
    })
    return { cluster: clusterDocument(found.cluster), members: found.members.map(memberWire), next: found.next }
  },
})

export const clusterRoutes: readonly Route[] = [list, tree]
