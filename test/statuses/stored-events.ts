/** Recipes for stored events: votes by query, deciding again, notes. */
import assert from 'node:assert/strict'
import { limits } from '../../engine/limits.js'
import { makeJob, type Client } from '../support/client.js'
import type { Ask, Recipe, Recipes } from './recipe.js'

interface Stored {
  readonly jobId: number
  /** `/api/v2/events/{job_id}/{event_id}`. */
  readonly event: string
  /** `/api/v2/events/{job_id}/reprocess`. */
  readonly tasks: string
}

/** A new job with an event. */
async function stored(client: Client): Promise<Stored> {
  const { jobId } = await makeJob(client)
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
  return { jobId, event: `/api/v2/events/${jobId}/e`, tasks: `/api/v2/events/${jobId}/reprocess` }
}

/** The same in a stopped job. */
async function stopped(client: Client): Promise<Stored> {
  const made = await stored(client)
  assert.equal((await client.post(`/api/v2/jobs/${made.jobId}/stop`)).status, 200)
  return made
}

/** An unfinished task: its job was stopped in time. If the task was faster, another one is started. */
async function waitingTask(client: Client): Promise<string> {
  const { jobId, tasks } = await stored(client)
  for (;;) {
    const query = Array.from({ length: 4 }, () => client.post(`${tasks}?timeout_s=0`, {}))
    for (const answer of await Promise.all(query)) assert.equal(answer.status, 200, answer.text)
    assert.equal((await client.post(`/api/v2/jobs/${jobId}/stop`)).status, 200)
    const open = (await client.get(tasks)).body.find(({ status }: { status: string }) => status === 'waiting')
    if (open !== undefined) return `${tasks}/${open.task_id}`
    assert.equal((await client.post(`/api/v2/jobs/${jobId}/start`)).status, 200)
  }
}

/** A recipe of an operation on one task. */
function onTask(): Recipe {
  return {
    good: async (client) => ({ path: await waitingTask(client) }),
    refusals: { 404: async (client) => ({ path: `${(await stored(client)).tasks}/none` }) },
  }
}

const notes = { agent_notes: 'The address belongs to the backup server.' }

const noSuchEvent = async (client: Client, rest: string): Promise<Ask> => {
  return { path: `${(await stored(client)).event}-not/${rest}` }
}

export const storedEventRecipes: Recipes = {
  explainEvent: {
    good: async (client) => ({ path: `${(await stored(client)).event}/explanation` }),
    refusals: { 404: (client) => noSuchEvent(client, 'explanation') },
  },
  listSimilarEvents: {
    good: async (client) => ({ path: `${(await stored(client)).event}/similar?count=3` }),
    refusals: {
      404: (client) => noSuchEvent(client, 'similar'),
      422: async (client) => ({ path: `${(await stored(client)).event}/similar?count=51` }),
    },
  },
  decideBody: {
    good: async (client) => {
      return { path: `/api/v2/jobs/${(await stored(client)).jobId}/decide`, body: { raw_body: { rule: 'a' } } }
    },
    refusals: { 404: () => ({ path: '/api/v2/jobs/999999/decide', body: { raw_body: {} } }) },
  },
  giveFeedbackByLabel: {
    good: async (client) => ({ path: `${(await stored(client)).event}/feedback?feedback_label=Drop` }),
    refusals: {
      400: async (client) => ({ path: `${(await stored(client)).event}/feedback?feedback_label=none` }),
      404: async (client) => ({ path: `${(await stored(client)).event}-not/feedback?feedback_label=Drop` }),
      422: async (client) => ({ path: `${(await stored(client)).event}/feedback` }),
    },
  },
  reprocessEvent: {
    good: async (client) => ({ path: `${(await stored(client)).event}/reprocess` }),
    refusals: {
      404: async (client) => ({ path: `${(await stored(client)).event}-not/reprocess` }),
      409: async (client) => ({ path: `${(await stopped(client)).event}/reprocess` }),
    },
  },
  addAgenticNotes: {
    good: async (client) => ({ path: `${(await stored(client)).event}/add_agentic_notes`, body: notes }),
    refusals: {
      404: async (client) => ({ path: `${(await stored(client)).event}-not/add_agentic_notes`, body: notes }),
      409: async (client): Promise<Ask> => {
        const path = `${(await stored(client)).event}/add_agentic_notes`
        for (let i = 0; i < limits.notesPerEventMax; i++) assert.equal((await client.post(path, notes)).status, 200)
        return { path, body: notes }
      },
    },
  },
  reprocessEvents: {
    good: async (client) => ({ path: (await stored(client)).tasks, body: {} }),
    refusals: {
      404: () => ({ path: '/api/v2/events/999999/reprocess', body: {} }),
      409: async (client) => ({ path: (await stopped(client)).tasks, body: {} }),
    },
  },
  listReprocessTasks: {
    good: async (client) => ({ path: (await stored(client)).tasks }),
    refusals: { 404: () => ({ path: '/api/v2/events/999999/reprocess' }) },
  },
  getReprocessTask: onTask(),
  cancelReprocessTask: onTask(),
}
