/** Recipes for the labels that are worth asking for. */
import { makeJob } from '../support/client.js'
import type { Recipes } from './recipe.js'

export const nextLabelRecipes: Recipes = {
  getSecondLook: {
    good: async (client) => ({ path: `/api/v2/jobs/${(await makeJob(client)).jobId}/second-look` }),
    refusals: {
      404: () => ({ path: '/api/v2/jobs/999999/second-look' }),
      422: async (client) => ({ path: `/api/v2/jobs/${(await makeJob(client)).jobId}/second-look?order=none` }),
    },
  },
  getAnalysts: {
    good: async (client) => ({ path: `/api/v2/jobs/${(await makeJob(client)).jobId}/analysts` }),
    refusals: { 404: () => ({ path: '/api/v2/jobs/999999/analysts' }) },
  },
  getNextLabels: {
    good: async (client) => ({ path: `/api/v2/jobs/${(await makeJob(client)).jobId}/next` }),
    refusals: {
      404: () => ({ path: '/api/v2/jobs/999999/next' }),
      422: async (client) => ({ path: `/api/v2/jobs/${(await makeJob(client)).jobId}/next?count=0` }),
    },
  },
}
