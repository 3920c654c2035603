/** Recipes for backups. */
import { freshName, type Recipes } from './recipe.js'
import { eventually } from '../support/client.js'

const path = '/api/monitoring/api/v1/backups'

export const backupRecipes: Recipes = {
  makeBackup: {
    good: () => ({ path, body: { name: freshName() } }),
    refusals: {
      // It may be a folder, but not one that a list of files hides.
      422: () => ({ path, body: { name: '.hidden' } }),
      409: async (client) => {
        const name = freshName()
        const isOver = (answer: { body: { backups: { state: string }[] } }): boolean =>
          answer.body.backups.every(({ state }) => state !== 'running')
        await eventually(() => client.get(path), isOver, 60_000)
        await client.post(path, { name })
        await eventually(() => client.get(path), isOver, 60_000)
        return { path, body: { name } }
      },
    },
  },
  listBackups: { good: () => ({ path }) },
}
