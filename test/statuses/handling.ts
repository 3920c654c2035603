/** Recipes for named views, assignments, presence and notes. */
import { makeJob, type Client } from '../support/client.js'
import { freshName, type Recipe, type Recipes } from './recipe.js'

async function eventPath(client: Client): Promise<string> {
  const { jobId } = await makeJob(client)
  await client.post('/api/v1/events/e', { job_id: jobId, raw_body: { rule: 'a' } })
  return `/api/v2/events/${jobId}/e`
}

function onEvent(rest: string, body?: object): Recipe {
  const more = body === undefined ? {} : { body }
  return {
    good: async (client) => ({ path: `${await eventPath(client)}${rest}`, ...more }),
    refusals: { 404: async (client) => ({ path: `${await eventPath(client)}-not${rest}`, ...more }) },
  }
}

const newView = (): object => ({ name: freshName(), query: {} })

async function viewPath(client: Client): Promise<string> {
  return `/api/v2/views/${(await client.post('/api/v2/views', newView())).body.view_id}`
}

export const handlingRecipes: Recipes = {
  listViews: { good: () => ({ path: '/api/v2/views' }) },
  makeView: { good: () => ({ path: '/api/v2/views', body: newView() }), elsewhere: [409] },
  changeView: {
    good: async (client) => ({ path: await viewPath(client), body: newView() }),
    refusals: { 404: () => ({ path: '/api/v2/views/none', body: newView() }) },
  },
  deleteView: {
    good: async (client) => ({ path: await viewPath(client) }),
    refusals: { 404: () => ({ path: '/api/v2/views/none' }) },
  },
  assignEvent: { ...onEvent('/assignment', { assignee: 'admin' }), elsewhere: [409] },
  getAssignment: onEvent('/assignment'),
  listAssignments: {
    good: async (client) => ({ path: `/api/v2/jobs/${(await makeJob(client)).jobId}/assignments` }),
    refusals: {
      404: () => ({ path: '/api/v2/jobs/999999/assignments' }),
      422: async (client) => ({ path: `/api/v2/jobs/${(await makeJob(client)).jobId}/assignments?page=x` }),
    },
  },
  lookAtEvent: onEvent('/presence'),
  listNotes: onEvent('/notes'),
  addNote: { ...onEvent('/notes', { text: 'The user confirmed it by phone.' }), elsewhere: [409] },
}
