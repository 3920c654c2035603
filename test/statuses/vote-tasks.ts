/** Recipes for votes on all events that match filters. */
import { makeJob, type Client } from '../support/client.js'
import type { Maker, Recipe, Recipes } from './recipe.js'

async function tasksOf(client: Client): Promise<string> {
  const { jobId } = await makeJob(client)
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
  return `/api/v2/jobs/${jobId}/vote-tasks`
}

async function taskOf(client: Client): Promise<{ path: string; token: string }> {
  const path = await tasksOf(client)
  const { body } = await client.post(path, { feedback: 'Drop' })
  return { path: `${path}/${body.task.task_id}`, token: body.undo_token }
}

const noTask =
  (rest = ''): Maker =>
  async (client) => ({
    path: `${await tasksOf(client)}/none${rest}`,
    body: rest === '' ? undefined : { undo_token: 'x' },
  })

const onTask: Recipe = { good: async (client) => ({ path: (await taskOf(client)).path }), refusals: { 404: noTask() } }

export const voteTaskRecipes: Recipes = {
  voteByFilter: {
    good: async (client) => ({ path: await tasksOf(client), body: { feedback: 'Drop' } }),
    refusals: { 404: () => ({ path: '/api/v2/jobs/999999/vote-tasks', body: { feedback: 'Drop' } }) },
    elsewhere: [409],
  },
  listVoteTasks: {
    good: async (client) => ({ path: await tasksOf(client) }),
    refusals: { 404: () => ({ path: '/api/v2/jobs/999999/vote-tasks' }) },
  },
  getVoteTask: onTask,
  cancelVoteTask: { ...onTask, elsewhere: [507] },
  undoVoteTask: {
    good: async (client) => {
      const { path, token } = await taskOf(client)
      return { path: `${path}/undo`, body: { undo_token: token } }
    },
    refusals: {
      403: async (client) => ({ path: `${(await taskOf(client)).path}/undo`, body: { undo_token: 'wrong' } }),
      404: noTask('/undo'),
    },
  },
}
