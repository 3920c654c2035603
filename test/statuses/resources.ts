/** Recipes for resources. */
import { makeJob } from '../support/client.js'
import { freshName, type Ask, type Recipe, type Recipes } from './recipe.js'

const PATH = '/api/v2/resources'

function newKey(name: string, query = ''): Ask {
  return { path: PATH + query, body: { resources: { key: { type: 'api_key', properties: { name } } } } }
}

/** A recipe of an operation that shows what can be set up, and a query that it refuses. */
function shown(path: string, badQuery: string): Recipe {
  return { good: () => ({ path }), refusals: { 422: () => ({ path: path + badQuery }) } }
}

export const resourceRecipes: Recipes = {
  applyResources: {
    good: () => newKey(freshName()),
    refusals: {
      409: async (client) => {
        const name = freshName()
        await client.post(PATH, newKey(name).body)
        return newKey(name, '?overwrite=false')
      },
    },
  },
  getIntegrationParameterSchema: shown(`${PATH}/integration/parameters/schema`, '?type=Nothing'),
  getIntegrationMetadata: shown(`${PATH}/integration/metadata`, '?role=dancer'),
  getJobMetadata: shown(`${PATH}/job/metadata`, '?category=Nothing'),
  listIntegrations: { good: () => ({ path: '/api/v2/integrations' }) },
  listResources: {
    good: () => ({ path: PATH }),
    refusals: { 422: () => ({ path: `${PATH}?title=a&id=1` }) },
  },
  deleteResource: {
    good: async (client) => ({ path: `${PATH}?resource_type=job&id=${(await makeJob(client)).jobId}` }),
    refusals: {
      404: () => ({ path: `${PATH}?resource_type=job&id=999999` }),
      409: () => ({ path: `${PATH}?resource_type=api_key&title=management` }),
      422: () => ({ path: `${PATH}?title=a&id=1` }),
    },
  },
}
