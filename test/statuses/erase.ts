/** Recipes for erasing events. */
import { makeJob } from '../support/client.js'
import type { Recipes } from './recipe.js'

const body = { filters: [{ field: 'rule', operator: 'is', value: 'erased' }] }

export const eraseRecipes: Recipes = {
  deleteEvents: {
    good: async (client) => ({ path: `/api/v2/events/${(await makeJob(client)).jobId}/delete`, body }),
    refusals: { 404: () => ({ path: '/api/v2/events/999999/delete', body }) },
  },
}
