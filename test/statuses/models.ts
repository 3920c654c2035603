/** Recipes for the registry of models, and for decisions that are computed again. */
import assert from 'node:assert/strict'
import { makeJob, type Client } from '../support/client.js'
import { send, trainAgain, trainedJob } from '../support/http/trained-job.js'
import type { Recipe, Recipes } from './recipe.js'

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

/** A job of its own with a challenger. */
async function challenged(client: Client): Promise<string> {
  const jobId = await twiceTrained(client)
  const path = `/api/v2/jobs/${jobId}/challenger`
  const answer = await client.post(path, { model_id: `model_${jobId}_1` })
  assert.equal(answer.status, 200, answer.text)
  return path
}

async function untrained(client: Client): Promise<number> {
  const { jobId } = await makeJob(client)
  await send(client, jobId, 'e', 'threat')
  return jobId
}

async function replayOf(client: Client): Promise<string> {
  const path = `/api/v2/jobs/${await jobOf(client)}/replays`
  return `${path}/${(await client.post(path, {})).body.replay_id}`
}

function onReplay(rest = ''): Recipe {
  return {
    good: async (client) => ({ path: `${await replayOf(client)}${rest}` }),
    refusals: { 404: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/replays/none${rest}` }) },
  }
}

export const modelRecipes: Recipes = {
  getChallenger: {
    good: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/challenger` }),
    refusals: { 404: () => ({ path: '/api/v2/jobs/999999/challenger' }) },
  },
  startChallenger: {
    good: async (client) => {
      const jobId = await twiceTrained(client)
      return { path: `/api/v2/jobs/${jobId}/challenger`, body: { model_id: `model_${jobId}_1` } }
    },
    refusals: {
      404: () => ({ path: '/api/v2/jobs/999999/challenger', body: {} }),
      409: async (client) => ({ path: `/api/v2/jobs/${await untrained(client)}/challenger`, body: {} }),
    },
  },
  promoteChallenger: {
    good: async (client) => ({ path: `${await challenged(client)}/promote` }),
    refusals: { 404: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/challenger/promote` }) },
  },
  dropChallenger: {
    good: async (client) => ({ path: await challenged(client) }),
    refusals: { 404: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/challenger` }) },
  },
  startReplay: {
    good: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/replays`, body: {} }),
    refusals: {
      404: () => ({ path: '/api/v2/jobs/999999/replays', body: {} }),
      409: async (client) => ({
        path: `/api/v2/jobs/${await untrained(client)}/replays`,
        body: { objective: 'accuracy' },
      }),
    },
  },
  listReplays: {
    good: async (client) => ({ path: `/api/v2/jobs/${await jobOf(client)}/replays` }),
    refusals: { 404: () => ({ path: '/api/v2/jobs/999999/replays' }) },
  },
  getReplay: onReplay(),
  getReplayTable: onReplay('/table'),
  // One that has ended meanwhile is answered without a write (scenarios/full-disk.test.ts).
  cancelReplay: { ...onReplay(), elsewhere: [507] },
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
