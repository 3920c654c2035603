/** Recipes for autonomy. */
import assert from 'node:assert/strict'
import { eventually, makeJob, type Client } from '../support/client.js'
import type { Recipes } from './recipe.js'

const contract = { mode: 'shadow', labels: [{ label: 'Drop', epsilon: 0.1, thresholds: [90] }] }
const UNKNOWN = '/api/v2/jobs/999999/autonomy'

/** A trained job, with a contract. */
async function governed(client: Client): Promise<string> {
  const { jobId } = await makeJob(client)
  for (const [rule, feedback] of [
    ['a', 'Drop'],
    ['b', 'Escalate'],
  ] as const) {
    await client.post(`/api/v1/events/${rule}`, { job_id: jobId, raw_body: { rule } })
    await client.put(`/api/v1/events/${jobId}/${rule}/feedback`, { feedback })
  }
  assert.equal((await client.post(`/api/v1/jobs/${jobId}/train`)).status, 200)
  await eventually(
    () => client.get(`/api/v1/jobs/${jobId}`),
    ({ body }) => body.retrain_state === 'RETRAIN_FINISHED',
    30_000,
  )
  const path = `/api/v2/jobs/${jobId}/autonomy`
  const answer = await client.put(path, contract)
  assert.equal(answer.status, 200, answer.text)
  return path
}

export const autonomyRecipes: Recipes = {
  getAutonomy: {
    good: async (client) => ({ path: await governed(client) }),
    refusals: { 404: () => ({ path: UNKNOWN }) },
  },
  setAutonomy: {
    good: async (client) => ({ path: await governed(client), body: contract }),
    refusals: {
      404: () => ({ path: UNKNOWN, body: contract }),
      409: async (client) => ({
        path: `/api/v2/jobs/${(await makeJob(client)).jobId}/autonomy`,
        body: contract,
      }),
    },
  },
  listCertificates: {
    good: async (client) => ({ path: `${await governed(client)}/certificates` }),
    refusals: {
      404: async (client) => ({ path: `${await governed(client)}/certificates?gate_id=999999-1` }),
      422: async (client) => ({ path: `${await governed(client)}/certificates?page=-1` }),
    },
  },
  reopenSettled: {
    good: async (client) => ({ path: `${await governed(client)}/reopen`, body: {} }),
    refusals: { 404: () => ({ path: `${UNKNOWN}/reopen`, body: {} }) },
  },
  getQueue: {
    good: async (client) => ({ path: (await governed(client)).replace('autonomy', 'queue') }),
    refusals: {
      404: async (client) => ({ path: `/api/v2/jobs/${(await makeJob(client)).jobId}/queue` }),
      422: async (client) => ({ path: `${(await governed(client)).replace('autonomy', 'queue')}?after=x` }),
    },
  },
  forecastAutonomy: {
    good: async (client) => ({ path: `${await governed(client)}/forecast?epsilon=0.1` }),
    refusals: {
      400: async (client) => ({ path: `${await governed(client)}/forecast?epsilon=0.1&protected_labels=x` }),
      404: () => ({ path: `${UNKNOWN}/forecast?epsilon=0.1` }),
      422: async (client) => ({ path: `${await governed(client)}/forecast?epsilon=1` }),
    },
  },
}
