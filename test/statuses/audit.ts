/** Recipes for the audit log. */
import type { Recipes } from './recipe.js'

const base = '/api/monitoring/api/v1/audit'

export const auditRecipes: Recipes = {
  listAuditLogs: {
    good: () => ({ path: `${base}/logs?size=3` }),
    refusals: { 422: () => ({ path: `${base}/logs?start_date=yesterday` }) },
  },
  listAuditTerms: { good: () => ({ path: `${base}/filterable_fields_terms` }) },
  verifyAuditLog: {
    good: () => ({ path: `${base}/verify` }),
    refusals: { 422: () => ({ path: `${base}/verify?sequence=1` }) },
  },
}
