/** Recipes for jobs. */
import assert from 'node:assert/strict'
import { makeJob, type Client } from '../support/client.js'
import type { Recipe, Recipes } from './recipe.js'

/** A recipe of an operation on one job. */
function onJob(prefix: string, rest: string, makeReady: (client: Client) => Promise<number> = newJob): Recipe {
  return {
    good: async (client) => ({ path: `${prefix}/${await makeReady(client)}${rest}` }),
    refusals: { 404: () => ({ path: `${prefix}/999999${rest}` }) },
  }
}

async function newJob(client: Client): Promise<number> {
  return (await makeJob(client)).jobId
}

async function stoppedJob(client: Client): Promise<number> {
  const id = await newJob(client)
  assert.equal((await client.post(`/api/v2/jobs/${id}/stop`)).status, 200)
  return id
}

/** A job with feedback for two labels. */
async function trainableJob(client: Client): Promise<number> {
  const id = await newJob(client)
  for (const label of ['Drop', 'Escalate']) {
    await client.post(`/api/v1/events/${label}`, { job_id: id, raw_body: { rule: label } })
    const answer = await client.put(`/api/v1/events/${id}/${label}/feedback`, { feedback: label })
    assert.equal(answer.status, 200, answer.text)
  }
  return id
}

/** A recipe of an operation that trains. */
function training(prefix: string): Recipe {
  const recipe = onJob(prefix, '/train', trainableJob)
  return {
    ...recipe,
    refusals: { ...recipe.refusals, 409: async (client) => ({ path: `${prefix}/${await newJob(client)}/train` }) },
  }
}

function byName(rest: string): Recipe {
  const path = `/api/v1/jobs/get_by_name${rest}`
  return {
    good: async (client) => ({ path, body: { job_name: (await makeJob(client)).title } }),
    refusals: { 404: () => ({ path, body: { job_name: 'no such job' } }) },
  }
}

export const jobRecipes: Recipes = {
  describeSample: {
    good: () => ({ path: '/api/v2/field-statistics', body: [{ rule: { id: 1 } }, { rule: { id: 2 } }] }),
    refusals: {
      400: () => ({ path: '/api/v2/field-statistics', body: Buffer.from('1f8b0800000000000003ffffff', 'hex') }),
      422: () => ({ path: '/api/v2/field-statistics?size=1', body: [{ a: 1 }] }),
    },
  },
  listManagedJobs: { good: () => ({ path: '/api/v2/jobs/' }) },
  getManagedJob: onJob('/api/v2/jobs', ''),
  listJobs: { good: () => ({ path: '/api/v1/jobs/' }) },
  getJob: onJob('/api/v1/jobs', ''),
  getJobLabels: onJob('/api/v1/jobs', '/labels'),
  getJobByName: byName(''),
  getJobLabelsByName: byName('/labels'),
  trainJob: training('/api/v1/jobs'),
  startJob: onJob('/api/v1/jobs', '/start', stoppedJob),
  stopJob: onJob('/api/v1/jobs', '/stop'),
  startManagedJob: onJob('/api/v2/jobs', '/start', stoppedJob),
  stopManagedJob: onJob('/api/v2/jobs', '/stop'),
  trainManagedJob: training('/api/v2/jobs'),
}
