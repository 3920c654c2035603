/** Recipes for queries about stored events. */
import { makeJob } from '../support/client.js'
import type { Recipe, Recipes } from './recipe.js'

/** A recipe of a query about a job with one event. */
function query(path: string, more: object = {}): Recipe {
  return {
    good: async (client) => {
      const { jobId } = await makeJob(client)
      await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
      return { path, body: { job_ids: jobId, ...more } }
    },
    refusals: {
      404: () => ({ path, body: { job_ids: 999999, ...more } }),
      422: () => ({ path, body: { job_ids: 'none', ...more } }),
    },
  }
}

export const queryRecipes: Recipes = {
  queryEvents: query('/api/v2/events/query'),
  searchEvents: query('/api/v2/events/raw_es_query', {
    query_body: { aggs: { rules: { terms: { field: 'rule' } } } },
  }),
  listEvents: query('/api/v2/events/list'),
  countFacets: query('/api/v2/events/facets', { fields: ['rule'] }),
  getEventFile: {
    good: async (client) => ({
      path: `/api/v2/jobs/${(await makeJob(client)).jobId}/events-file?format=csv`,
    }),
    refusals: {
      404: () => ({ path: '/api/v2/jobs/999999/events-file?format=csv' }),
      422: async (client) => ({ path: `/api/v2/jobs/${(await makeJob(client)).jobId}/events-file?format=xlsx` }),
    },
  },
  streamEvents: {
    good: async (client) => ({ path: `/api/v2/events/stream?job_id=${(await makeJob(client)).jobId}` }),
    refusals: {
      404: () => ({ path: '/api/v2/events/stream?job_id=999999' }),
      422: () => ({ path: '/api/v2/events/stream?types=nothing' }),
    },
  },
  listFilterFields: query('/api/v2/filters/fields'),
  mapFilterFields: query('/api/v2/filters/fields_mapping'),
}
