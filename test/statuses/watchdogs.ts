/** Recipes for watchdogs. */
import { makeJob, type Client } from '../support/client.js'
import { freshName, type Recipes } from './recipe.js'

const base = '/api/monitoring/api/v1/watchdogs'
const watchdog = () => ({ title: freshName(), type: 'disk' })

async function newWatchdog(client: Client): Promise<string> {
  return (await client.post(base, watchdog())).body.watchdog_id
}

/** A watchdog from a job's monitoring_settings. */
async function ofJob(client: Client): Promise<string> {
  const monitoring_settings = { monitors: [{ name: 'no_data', active: true }] }
  const { jobId } = await makeJob(client, { advanced_settings: { monitoring_settings } })
  const { body } = await client.get(`${base}/type/no_data`)
  return body.watchdogs.find(
    (each: { job_id: number; monitor: string }) => each.job_id === jobId && each.monitor === 'no_data',
  ).watchdog_id
}

/** Makes watchdogs up to the limit of the whole service; nothing deletes them. */
async function fill(client: Client): Promise<void> {
  for (let status = 201; status === 201; ) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.post(base, watchdog())))
    status = Math.max(...answers.map((answer) => answer.status))
  }
}

export const watchdogRecipes: Recipes = {
  listWatchdogs: { good: () => ({ path: base }) },
  enableWatchdog: {
    good: async (client) => ({
      path: `${base}/enable`,
      body: { watchdog_id: await newWatchdog(client), enabled: false },
    }),
    refusals: {
      404: () => ({ path: `${base}/enable`, body: { watchdog_id: '999999', enabled: true } }),
      409: async (client) => ({ path: `${base}/enable`, body: { watchdog_id: await ofJob(client), enabled: false } }),
    },
  },
  listWatchdogsOfType: {
    good: () => ({ path: `${base}/type/memory` }),
    refusals: { 404: () => ({ path: `${base}/type/weather` }) },
  },
  getWatchdog: {
    good: async (client) => ({ path: `${base}/id/${await newWatchdog(client)}` }),
    refusals: { 404: () => ({ path: `${base}/id/999999` }) },
  },
  listWatchdogConditions: {
    good: () => ({ path: `${base}/conditions/disk` }),
    refusals: { 404: () => ({ path: `${base}/conditions/weather` }) },
  },
  deleteWatchdog: {
    good: async (client) => ({ path: `${base}/${await newWatchdog(client)}` }),
    refusals: {
      404: () => ({ path: `${base}/999999` }),
      409: async (client) => ({ path: `${base}/${await ofJob(client)}` }),
    },
  },
  createWatchdog: {
    good: () => ({ path: base, body: watchdog() }),
    refusals: {
      404: () => ({ path: base, body: { ...watchdog(), type: 'no_data', job_id: 999_999 } }),
      409: async (client) => {
        await fill(client)
        return { path: base, body: watchdog() }
      },
    },
  },
}
