/** Recipes for the registry of models, and for decisions that are computed again. */
import type { Client } from '../support/client.js'
import { trainAgain, trainedJob } from '../support/http/trained-job.js'
import type { Recipes } from './recipe.js'

/** Training takes time, and these recipes only read, or roll back and forth: one job for each service. */
const jobs = new WeakMap<Client, Promise<number>>()

function jobOf(client: Client): Promise<number> {
  let job = jobs.get(client)
  if (job === undefined) jobs.set(client, (job = twiceTrained(client)))
  return job
}

async function twiceTrained(client: Client): Promise<number> {
  const jobId = await trainedJob(client)
  await trainAgain(client, jobId)
  return jobId
}

export const modelRecipes: Recipes = {
  listModels: {
    good: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/models` }),
    refusals: {
      404: () => ({ path: '/api/v2/jobs/999999/models' }),
      422: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/models?size=0` }),
    },
  },
  getModel: {
    good: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/models/model_${await jobOf(client)}_1` }),
    refusals: { 404: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/models/nothing` }) },
  },
  rollBackModel: {
    good: async (client) => {
      const jobId = await jobOf(client)
      return { path: `/api/v2/jobs/${jobId}/rollback`, body: { model_id: `model_${jobId}_1` } }
    },
    refusals: {
      404: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/rollback`, body: { model_id: 'nothing' } }),
      409: async (client) => {
        const jobId = await jobOf(client)
        return { path: `/api/v2/jobs/${jobId}/rollback`, body: { model_id: `model_${jobId}_1` } }
      },
    },
  },
  computeDecision: {
    good: async (client) => ({ path: `/api/v2/events/${await jobOf(client)}/t0/decision` }),
    refusals: { 404: async (client) => ({ path: `/api/v2/events/${await jobOf(client)}/nothing/decision` }) },
  },
}
