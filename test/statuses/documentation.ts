/** Recipes for health and the documents. */
import { eventually } from '../support/client.js'
import { ADMIN_PASSWORD, MANAGEMENT_KEY } from '../support/service.js'
import { freshName, type Recipe, type Recipes } from './recipe.js'

/** What a page of the service sends, and a form cannot. */
const FROM_PAGE = { 'x-requested-with': 'console' }

function withoutProvider(path: string, elsewhere: readonly number[]): Recipe {
  return { good: () => ({ path }), refusals: { 403: () => ({ path }) }, elsewhere }
}

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
  getJobAddressPage: { good: () => ({ path: '/jobs/1' }) },
  getJobViewPage: { good: () => ({ path: '/jobs/1/events' }) },
  getJobItemPage: { good: () => ({ path: '/jobs/1/events/a' }) },
  getIntegrationsPage: { good: () => ({ path: '/integrations' }) },
  getOperationsPage: { good: () => ({ path: '/operations' }) },
  getAuditPage: { good: () => ({ path: '/audit' }) },
  getPeoplePage: { good: () => ({ path: '/people' }) },
  getConsoleFile: {
    async good(client) {
      const { text } = await client.get('/jobs', { key: null })
      return { path: /\/console\/[\w-]+\.js/.exec(text)![0] }
    },
    refusals: { 404: () => ({ path: '/console/other.js' }) },
  },
  signIn: {
    good: () => ({
      path: '/api/v2/session',
      body: { username: 'admin', password: ADMIN_PASSWORD },
      headers: FROM_PAGE,
    }),
    refusals: {
      401: () => ({ path: '/api/v2/session', body: { key: 'unknown' }, headers: FROM_PAGE }),
      403: () => ({ path: '/api/v2/session', body: { key: MANAGEMENT_KEY } }),
      429: async (client) => {
        const body = { username: freshName(), password: 'wrong' }
        await Promise.all(Array.from({ length: 10 }, () => client.post('/api/v2/token', body)))
        return { path: '/api/v2/session', body, headers: FROM_PAGE }
      },
    },
  },
  getSignInMethods: { good: () => ({ path: '/api/v2/session/methods' }) },
  // Without a provider all of them are 403; the rest is in scenarios/sso.
  beginSignOn: withoutProvider('/api/v2/session/sso/login', [303, 422]),
  finishSignOn: withoutProvider('/api/v2/session/sso/callback', [303, 401, 409, 507]),
  endSignOn: withoutProvider('/api/v2/session/sso/logout', [200, 413, 422]),
  getSession: { good: () => ({ path: '/api/v2/session' }) },
  signOut: {
    good: () => ({ path: '/api/v2/session', headers: FROM_PAGE }),
    refusals: { 403: () => ({ path: '/api/v2/session' }) },
  },
  getOpenApi: { good: () => ({ path: '/openapi.json' }) },
  getSimpleOpenApi: { good: () => ({ path: '/openapi/simple.json' }) },
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
