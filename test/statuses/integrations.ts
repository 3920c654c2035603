/** Recipes for deliveries and inputs of integrations. */
import type { Recipes } from './recipe.js'

const base = '/api/v2/integrations'

export const integrationRecipes: Recipes = {
  listDeliveries: {
    good: () => ({ path: `${base}/deliveries` }),
  },
  listInputs: {
    good: () => ({ path: `${base}/inputs` }),
  },
  listEnrichments: {
    good: () => ({ path: `${base}/enrichments` }),
  },
  listFailedDeliveries: {
    good: () => ({ path: `${base}/failed_deliveries?status=dead&size=3` }),
    refusals: { 422: () => ({ path: `${base}/failed_deliveries?status=lost` }) },
  },
  retryFailedDeliveries: {
    good: () => ({ path: `${base}/failed_deliveries/retry`, body: { job_id: 1 } }),
    refusals: { 404: () => ({ path: `${base}/failed_deliveries/retry`, body: { id: 'none' } }) },
  },
  discardFailedDeliveries: {
    good: () => ({ path: `${base}/failed_deliveries?job_id=1` }),
    refusals: {
      404: () => ({ path: `${base}/failed_deliveries?id=none` }),
      422: () => ({ path: `${base}/failed_deliveries?job_id=one` }),
    },
  },
}
