/** Recipes for events. */
import assert from 'node:assert/strict'
import { limits } from '../../engine/limits.js'
import { makeJob, type Client } from '../support/client.js'
import { freshName, type Ask, type Recipe, type Recipes } from './recipe.js'

const NO_JOB = 999_999

/** A new event in a new job; returns its path. */
async function eventPath(client: Client): Promise<string> {
  const { jobId } = await makeJob(client)
  const answer = await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
  return `/api/v1/events/${jobId}/${answer.body.event_id}`
}

/** A job whose only input is disabled. */
async function closedJob(client: Client): Promise<number> {
  const { jobId, title } = await makeJob(client)
  const [shown] = (await client.get(`/api/v2/resources?resource_type=job&id=${jobId}`)).body
  const steps = shown[title].properties.pipeline_integrations
  const pipeline = steps.map((step: { integration_type: string }) => ({
    ...step,
    enabled: step.integration_type !== 'input',
  }))
  const properties = { title, pipeline_integrations: pipeline }
  await client.post('/api/v2/resources', { job: { type: 'job', properties } })
  return jobId
}

async function newEvent(client: Client): Promise<unknown> {
  const { jobId } = await makeJob(client)
  return { job_id: jobId, raw_body: { rule: freshName() } }
}

const alert = { status: 'firing', labels: { alertname: 'a' }, startsAt: '2026-01-05T06:00:00Z', fingerprint: 'c1' }
const fileWarnings = { body: { warnings: [{ type: 'charset', count: 2, example: 'a' }] } }
const fileWarningsOf = (jobId: number): string => `/api/v2/jobs/${jobId}/file-warnings`
const ofNoJob = { job_id: NO_JOB, raw_body: {} }
const noEvent = async (client: Client, rest = ''): Promise<Ask> => ({ path: `${await eventPath(client)}-not${rest}` })

const feedbackByLabel = (eventAt: string): string => `${eventAt.replace('/v1/', '/v2/')}/feedback`

/** A new event with a vote; returns its path. */
async function votedPath(client: Client): Promise<string> {
  const path = await eventPath(client)
  const answer = await client.put(`${path}/feedback`, { feedback: 'Drop' })
  assert.equal(answer.status, 200, answer.text)
  return path
}

/** A recipe of an operation that withdraws a vote. A vote that is not there is 404, too. */
function withdrawing(pathOf: (eventAt: string) => string): Recipe {
  return {
    good: async (client) => ({ path: pathOf(await votedPath(client)) }),
    refusals: {
      404: async (client) => ({ path: pathOf(await eventPath(client)) }),
      422: async (client) => ({ path: `${pathOf(await votedPath(client))}?scope=job` }),
    },
  }
}

/** The address for webhooks to the input of a job. */
async function webhookPath(client: Client, jobId: number): Promise<string> {
  const shown = (await client.get(`/api/v2/resources?resource_type=job&id=${jobId}`)).body[0] as object
  const [step] = (Object.values(shown)[0] as any).properties.pipeline_integrations
  const [, title = step.resource] = /title='([^']*)'/.exec(step.resource) ?? []
  return `/api/v1/ingest/${encodeURIComponent(title)}`
}

export const eventRecipes: Recipes = {
  postWebhook: {
    good: async (client) => ({
      path: await webhookPath(client, (await makeJob(client)).jobId),
      body: { rule: freshName() },
    }),
    refusals: {
      404: () => ({ path: '/api/v1/ingest/999999', body: {} }),
      409: async (client) => ({ path: await webhookPath(client, await closedJob(client)), body: {} }),
      422: async (client) => ({
        path: `${await webhookPath(client, (await makeJob(client)).jobId)}?x=1`,
        body: {},
        key: null,
      }),
    },
  },
  postEvent: {
    good: async (client) => ({ path: '/api/v1/events/', body: await newEvent(client) }),
    refusals: {
      404: () => ({ path: '/api/v1/events/', body: ofNoJob }),
      409: async (client) => ({ path: '/api/v1/events/', body: { job_id: await closedJob(client), raw_body: {} } }),
    },
  },
  postEventWithId: {
    good: async (client) => ({ path: '/api/v1/events/e', body: await newEvent(client) }),
    refusals: {
      404: () => ({ path: '/api/v1/events/e', body: ofNoJob }),
      409: async (client) => ({ path: '/api/v1/events/e', body: { job_id: await closedJob(client), raw_body: {} } }),
      422: async (client) => ({
        path: `/api/v1/events/${'x'.repeat(limits.eventIdBytesMax + 1)}`,
        body: await newEvent(client),
      }),
    },
  },
  postAlertmanagerWebhook: {
    good: async (client) => ({
      path: `/api/v1/alertmanager/${(await makeJob(client)).jobId}`,
      body: { alerts: [alert] },
    }),
    refusals: {
      404: () => ({ path: `/api/v1/alertmanager/${NO_JOB}`, body: { alerts: [alert] } }),
      409: async (client) => ({
        path: `/api/v1/alertmanager/${await closedJob(client)}`,
        body: { alerts: [alert] },
      }),
    },
  },
  postEventLines: {
    good: async (client) => ({
      path: '/api/v1/events/_bulk',
      body: `${JSON.stringify(await newEvent(client))}\nno event\n`,
    }),
  },
  postFileWarnings: {
    good: async (client) => ({ ...fileWarnings, path: fileWarningsOf((await makeJob(client)).jobId) }),
    refusals: {
      404: () => ({ ...fileWarnings, path: fileWarningsOf(NO_JOB) }),
      409: async (client) => ({ ...fileWarnings, path: fileWarningsOf(await closedJob(client)) }),
      422: async (client) => ({ path: fileWarningsOf((await makeJob(client)).jobId), body: { warnings: [] } }),
    },
  },
  getEvent: { good: async (client) => ({ path: await eventPath(client) }), refusals: { 404: noEvent } },
  exportEvent: {
    good: async (client) => ({ path: `${await eventPath(client)}/export` }),
    refusals: { 404: (client) => noEvent(client, '/export') },
  },
  giveFeedback: {
    good: async (client) => ({ path: `${await eventPath(client)}/feedback`, body: { feedback: 'Drop' } }),
    refusals: {
      400: async (client) => ({ path: `${await eventPath(client)}/feedback`, body: { feedback: 'no label' } }),
      404: async (client) => ({ ...(await noEvent(client, '/feedback')), body: { feedback: 'Drop' } }),
      422: async (client) => ({ path: `${await eventPath(client)}/feedback`, body: {} }),
    },
  },
  getFeedbackReach: {
    good: async (client) => ({ path: feedbackByLabel(await votedPath(client)) }),
    refusals: { 404: async (client) => ({ path: feedbackByLabel((await noEvent(client, '')).path) }) },
  },
  undoFeedback: {
    good: async (client) => {
      const path = await eventPath(client)
      const { body } = await client.put(`${path}/feedback`, { feedback: 'Drop' })
      return { path: `${feedbackByLabel(path)}/undo`, body: { voted_at: body.vote.voted_at } }
    },
    refusals: {
      404: async (client) => ({
        path: `${feedbackByLabel((await noEvent(client, '')).path)}/undo`,
        body: { voted_at: '2026-03-01T10:00:00.000000Z' },
      }),
    },
  },
  withdrawFeedback: withdrawing((path) => `${path}/feedback`),
  withdrawFeedbackByLabel: withdrawing(feedbackByLabel),
  postHistoricEvents: {
    good: async (client) => {
      const { jobId } = await makeJob(client)
      return { path: `/api/v1/bulk/${jobId}`, body: { count: 1, events: [{ raw_body: { rule: 'a' } }] } }
    },
    refusals: {
      404: () => ({ path: `/api/v1/bulk/${NO_JOB}`, body: { events: [] } }),
      409: async (client) => ({ path: `/api/v1/bulk/${await closedJob(client)}`, body: { events: [] } }),
    },
  },
}
