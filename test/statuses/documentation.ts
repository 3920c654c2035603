/** Recipes for health and the documents. */
import { eventually } from '../support/client.js'
import type { Recipes } from './recipe.js'

export const documentationRecipes: Recipes = {
  getHealth: { good: () => ({ path: '/api/v1/health' }) },
  checkHealth: { good: () => ({ path: '/api/v1/health/check' }) },
  getManagedHealth: { good: () => ({ path: '/api/v2/health' }) },
  getDocumentation: { good: () => ({ path: '/docs/exposer' }) },
  getManual: { good: () => ({ path: '/docs' }) },
  getManualPage: {
    good: () => ({ path: '/docs/concepts' }),
    refusals: { 404: () => ({ path: '/docs/other' }) },
  },
  getDocumentationAsset: {
    good: () => ({ path: '/docs/assets/swagger-ui.css' }),
    refusals: { 404: () => ({ path: '/docs/assets/other.css' }) },
  },
  getFeedbackPage: { good: () => ({ path: '/jobs/feedback-flow/1' }) },
  getJobPage: { good: () => ({ path: '/use-cases/overview/1' }) },
  getIntegrationPage: { good: () => ({ path: '/integrations/1/edit' }) },
  getJobsPage: { good: () => ({ path: '/jobs' }) },
  getKeysPage: { good: () => ({ path: '/api-keys' }) },
  getConsoleScript: {
    good: () => ({ path: '/console/app.js' }),
    refusals: { 404: () => ({ path: '/console/other.js' }) },
  },
  getOpenApi: { good: () => ({ path: '/openapi.json' }) },
  getLiveness: { good: () => ({ path: '/livez' }) },
  getReadiness: {
    async good(client) {
      await eventually(
        () => client.get('/readyz'),
        ({ status }) => status === 200,
      )
      return { path: '/readyz' }
    },
  },
  getPrometheusMetrics: { good: () => ({ path: '/metrics' }) },
  getRoot: { good: () => ({ path: '/' }) },
}
