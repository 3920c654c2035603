/** The tool that shows clusters of root cause jobs. */
import { Type } from 'typebox'
import type { Client } from '../../client/index.js'
import { Exact } from '../../schemas/common.js'
import { readTool } from '../tool.js'
import { Notice, Untrusted, untrusted, UNTRUSTED } from '../untrusted.js'
import { AsIs, Count, counted, Cursor, JobId, Limit, NextCursor } from './fields.js'

const Clusters = Exact({
  job_id: JobId,
  cluster_id: Type.Optional(Type.String({ maxLength: 256, description: 'One cluster, with its alerts as a tree.' })),
  state: Type.Optional(Type.Enum(['open', 'closed'])),
  min_size: Type.Optional(Type.Integer({ minimum: 1 })),
  limit: Limit(10),
  cursor: Cursor,
})

interface ClusterInput {
  readonly job_id: number
  readonly cluster_id?: string
  readonly state?: 'open' | 'closed'
  readonly min_size?: number
  readonly limit?: number
  readonly cursor?: string
}

/** Kinds and names in clusters are of events, so all but figures is untrusted. */
function clusterItem({ root_causes: causes, merged_from: merged, ...cluster }: ClusterRow) {
  return { ...cluster, merged_from: merged.length, untrusted: untrusted({ root_causes: causes.slice(0, 10) }) }
}

type ClusterRow = Awaited<ReturnType<Client['listClusters']>>['clusters'][number]

async function oneCluster(client: Client, { job_id, cluster_id = '', limit = 10, cursor }: ClusterInput) {
  const tree = await client.getCluster({ job_id, cluster_id, size: limit, after: cursor })
  return {
    summary: `A cluster of ${counted(tree.cluster.size, 'alert')}.`,
    content: {
      notice: UNTRUSTED,
      clusters: [clusterItem(tree.cluster)],
      total: 1,
      untrusted: untrusted({ members: tree.members }),
      next_cursor: tree.next,
    },
  }
}

export const clusters = readTool({
  name: 'clusters',
  title: 'Clusters and their root causes',
  description:
    'Clusters of a root cause job, latest first, with their likeliest causes; with `cluster_id` one of them with ' +
    'its alerts.',
  operations: ['listClusters', 'getCluster'],
  scopes: ['read:event_query'],
  input: Clusters,
  output: Type.Object({
    notice: Notice,
    clusters: Type.Array(AsIs),
    total: Count,
    untrusted: Type.Optional(Untrusted),
    next_cursor: NextCursor,
  }),
  async read({ client, input }) {
    const { job_id, cluster_id, state, min_size, limit = 10, cursor } = input
    if (cluster_id !== undefined) return await oneCluster(client, input as ClusterInput)
    const page = await client.listClusters({ job_id, size: limit, after: cursor, state, min_size })
    return {
      summary: `${counted(page.clusters.length, 'cluster')} of ${page.total}.`,
      content: {
        notice: UNTRUSTED,
        clusters: page.clusters.map(clusterItem),
        total: page.total,
        next_cursor: page.next,
      },
    }
  },
})
