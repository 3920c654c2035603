/** Recipes for metrics. */
import { eventually, makeJob, type Client } from '../support/client.js'
import type { Recipe, Recipes } from './recipe.js'

interface Trained {
  readonly jobId: number
  readonly modelId: string
}

const trained = new WeakMap<Client, Promise<Trained>>()

/** A job with a model; one a service is enough. */
function trainedJob(client: Client): Promise<Trained> {
  let made = trained.get(client)
  if (made === undefined) trained.set(client, (made = train(client)))
  return made
}

async function train(client: Client): Promise<Trained> {
  const { jobId } = await makeJob(client)
  const events = ['Escalate', 'Drop'].map((feedback, i) => ({
    job_id: jobId,
    raw_body: { rule: `r${i}` },
    label: { cortex_user: 'ann', feedback },
  }))
  await client.post(`/api/v1/bulk/${jobId}`, { count: 2, events })
  await client.post(`/api/v1/jobs/${jobId}/train`)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
  const modelId = `model_${jobId}_1`
  const query = `/api/v2/metrics/model?job_id=${jobId}&model_id=${modelId}`
  // While a recomputation runs, a request for the same one is answered without a write.
  await eventually(
    () => client.get(query),
    ({ body }) => body.is_recomputing_metrics === false,
    30_000,
  )
  return { jobId, modelId }
}

/** A recipe of a query about one job. */
function aboutJob(path: string): Recipe {
  return {
    good: async (client) => ({ path: `${path}?job_id=${(await trainedJob(client)).jobId}`, body: { filters: [] } }),
    refusals: { 404: () => ({ path: `${path}?job_id=999999` }) },
  }
}

/** The same without a body. */
function looksAtJob(path: string): Recipe {
  return {
    good: async (client) => ({ path: `${path}?job_id=${(await trainedJob(client)).jobId}` }),
    refusals: { 404: () => ({ path: `${path}?job_id=999999` }), 422: () => ({ path }) },
  }
}

/** A recipe of a query about one model. */
function aboutModel(path: string): Recipe {
  return {
    good: async (client) => {
      const { jobId, modelId } = await trainedJob(client)
      return { path: `${path}?job_id=${jobId}&model_id=${modelId}` }
    },
    refusals: {
      404: async (client) => ({ path: `${path}?job_id=${(await trainedJob(client)).jobId}&model_id=none` }),
      422: async (client) => ({ path: `${path}?job_id=${(await trainedJob(client)).jobId}` }),
    },
  }
}

const internal = '/api/v2/metrics/internal_metrics'
const platform = '/api/v2/metrics/platform_metrics'
const production = '/api/v2/metrics/production_date?production_date=2026-01-01T00:00:00Z'

export const metricsRecipes: Recipes = {
  getJobMetrics: aboutJob('/api/v2/metrics/job'),
  readJobMetrics: looksAtJob('/api/v2/metrics/job'),
  readJobAndLatestModelMetrics: looksAtJob('/api/v2/metrics/job_and_latest_model'),
  getJobAndLatestModelMetrics: aboutJob('/api/v2/metrics/job_and_latest_model'),
  postModelMetrics: aboutModel('/api/v2/metrics/model'),
  getModelMetrics: aboutModel('/api/v2/metrics/model'),
  requestRecomputeMetrics: aboutModel('/api/v2/metrics/model/request_recompute_metrics'),
  setProductionDate: {
    good: async (client) => ({ path: `${production}&job_id=${(await trainedJob(client)).jobId}` }),
    refusals: { 404: () => ({ path: `${production}&job_id=999999` }), 422: () => ({ path: production }) },
  },
  getInternalMetrics: {
    good: async (client) => ({
      path: `${internal}?job_ids=${(await trainedJob(client)).jobId}&aggregation_time_interval=1d`,
      body: {},
    }),
    refusals: {
      404: () => ({ path: `${internal}?job_ids=999999` }),
      422: () => ({ path: `${internal}?aggregation_time_interval=soon` }),
    },
  },
  getPlatformMetrics: {
    good: () => ({ path: platform, body: {} }),
    refusals: {
      404: () => ({ path: `${platform}?job_ids=999999` }),
      422: () => ({ path: `${platform}?job_ids=none` }),
    },
  },
}
