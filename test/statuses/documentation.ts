/** Health and the documents: how each answer is brought about. */
import type { Recipes } from './recipe.js'

export const documentationRecipes: Recipes = {
  getHealth: { good: () => ({ path: '/api/v1/health' }) },
  getManagedHealth: { good: () => ({ path: '/api/v2/health' }) },
  getDocumentation: { good: () => ({ path: '/docs/exposer' }) },
  getDocumentationAsset: {
    good: () => ({ path: '/docs/assets/swagger-ui.css' }),
    refusals: { 404: () => ({ path: '/docs/assets/other.css' }) },
  },
  getOpenApi: { good: () => ({ path: '/openapi.json' }) },
  getRoot: { good: () => ({ path: '/' }) },
}
