/** Recipes for consensus. */
import assert from 'node:assert/strict'
import { makeJob, type Client } from '../support/client.js'
import type { Recipes } from './recipe.js'

const morePoints = { add: ['host.name'] }
const NO_BUCKET = '0'.repeat(32)

interface Voted {
  readonly jobId: number
  readonly byEvent: string
  readonly byBucket: string
}

/** An event in a new job, with a vote; the paths of its consensus. */
async function voted(client: Client): Promise<Voted> {
  const { jobId } = await makeJob(client)
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
  await client.put(`/api/v1/events/${jobId}/e/feedback`, { feedback: 'Drop' })
  const byEvent = `/api/v2/events/${jobId}/e/consensus`
  const seen = await client.get(byEvent)
  assert.equal(seen.status, 200, seen.text)
  return { jobId, byEvent, byBucket: `/api/v2/jobs/${jobId}/buckets/${seen.body.bucket_id}/consensus` }
}

/** The three operations on the consensus at one path. */
function recipesOf(
  name: 'Event' | 'Bucket',
  pathOf: (voted: Voted) => string,
  lost: (voted: Voted) => string,
): Recipes {
  const body = { consensus: 'Escalate' }
  return {
    [`get${name}Consensus`]: {
      good: async (client) => ({ path: pathOf(await voted(client)) }),
      refusals: { 404: async (client) => ({ path: lost(await voted(client)) }) },
    },
    [`override${name}Consensus`]: {
      good: async (client) => ({ path: pathOf(await voted(client)), body }),
      refusals: { 404: async (client) => ({ path: lost(await voted(client)), body }) },
    },
    [`withdraw${name}Override`]: {
      good: async (client) => {
        const path = pathOf(await voted(client))
        assert.equal((await client.put(path, body)).status, 200)
        return { path }
      },
      refusals: { 404: async (client) => ({ path: lost(await voted(client)) }) },
    },
  }
}

export const consensusRecipes: Recipes = {
  ...recipesOf(
    'Event',
    ({ byEvent }) => byEvent,
    ({ jobId }) => `/api/v2/events/${jobId}/none/consensus`,
  ),
  ...recipesOf(
    'Bucket',
    ({ byBucket }) => byBucket,
    ({ jobId }) => `/api/v2/jobs/${jobId}/buckets/${NO_BUCKET}/consensus`,
  ),
  listDisagreements: {
    good: async (client) => ({ path: `/api/v2/jobs/${(await voted(client)).jobId}/disagreements` }),
    refusals: {
      404: () => ({ path: '/api/v2/jobs/999999/disagreements' }),
      422: async (client) => ({ path: `/api/v2/jobs/${(await voted(client)).jobId}/disagreements?page=-1` }),
    },
  },
  listMixedBuckets: {
    good: async (client) => ({ path: `/api/v2/jobs/${(await voted(client)).jobId}/mixed-buckets` }),
    refusals: {
      404: () => ({ path: '/api/v2/jobs/999999/mixed-buckets' }),
      422: async (client) => ({ path: `/api/v2/jobs/${(await voted(client)).jobId}/mixed-buckets?size=0` }),
    },
  },
  addDecisionPoints: {
    good: async (client) => ({ path: `/api/v2/jobs/${(await voted(client)).jobId}/decision-points`, body: morePoints }),
    refusals: { 404: () => ({ path: '/api/v2/jobs/999999/decision-points', body: morePoints }) },
  },
}
