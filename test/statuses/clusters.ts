/** Recipes for clusters. */
import { makeJob, type Client } from '../support/client.js'
import { freshName, type Recipes } from './recipe.js'

async function rootCauseJob(client: Client): Promise<number> {
  const { jobId } = await makeJob(client, {
    title: freshName(),
    category: 'Automated root cause analysis',
    decision_points: [],
  })
  return jobId
}

export const clusterRecipes: Recipes = {
  listClusters: {
    good: async (client) => ({ path: `/api/v2/jobs/${await rootCauseJob(client)}/clusters` }),
    refusals: {
      404: () => ({ path: '/api/v2/jobs/999999/clusters' }),
      422: async (client) => ({ path: `/api/v2/jobs/${await rootCauseJob(client)}/clusters?size=0` }),
    },
  },
  getCluster: {
    good: async (client) => {
      const jobId = await rootCauseJob(client)
      await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { host: 'a', type: 'down' } })
      const { body } = await client.get(`/api/v2/jobs/${jobId}/clusters`)
      return { path: `/api/v2/jobs/${jobId}/clusters/${body.clusters[0].cluster_id}` }
    },
    refusals: {
      404: async (client) => ({ path: `/api/v2/jobs/${await rootCauseJob(client)}/clusters/none` }),
      422: async (client) => ({ path: `/api/v2/jobs/${await rootCauseJob(client)}/clusters/none?size=0` }),
    },
  },
}
