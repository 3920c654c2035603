/** Metrics over several jobs: all figures of jobs over time, and what is stored (CONTRACT.md#metrics). */
import { limits, type Scope } from '../../engine/index.js'
import { operation, type Route } from '../http/route.js'
import { InternalAnswer, InternalQuery, MetricsFilters, PlatformAnswer, PlatformQuery } from '../schemas/metrics.js'
import { filtersExample, scopeOf, TIMEOUT_S, wireOf } from './metrics-wire.js'

const tag = 'Metrics'
const scope = 'read:job_metrics' satisfies Scope
const LATEST_MODELS = 2
const PLATFORM_INTERVAL = '7d'

const internal = operation({
  method: 'POST',
  path: '/api/v2/metrics/internal_metrics',
  operationId: 'getInternalMetrics',
  isIdempotent: true,
  tag,
  summary: 'Get all metrics of jobs, over time',
  description:
    '`aggregation_time_interval` splits the figures of each job into intervals, ' +
    `at most ${limits.metricsIntervalsMax}.`,
  scope,
  query: InternalQuery,
  body: MetricsFilters,
  bodyExample: filtersExample,
  responses: { 200: { description: 'The metrics, by job.', schema: InternalAnswer } },
  errors: [404],
  handle: async ({ app, principal, query, body, gone }) =>
    wireOf(
      await app.service.metrics.internal(
        principal,
        {
          ...scopeOf(query, body, principal),
          ...jobIdsOf(query),
          ...(query.aggregation_time_interval === undefined ? {} : { interval: query.aggregation_time_interval }),
          obfuscateDecisionPoints: query.obfuscate_decision_points_names ?? false,
          obfuscateUsernames: query.obfuscate_usernames ?? true,
          recomputeModels: query.recompute_model_metrics ?? true,
          latestModels: query.latest_n_models_to_recompute ?? LATEST_MODELS,
          timeoutS: query.timeout_s ?? TIMEOUT_S,
        },
        gone(),
      ),
    ),
})

const platform = operation({
  method: 'POST',
  path: '/api/v2/metrics/platform_metrics',
  operationId: 'getPlatformMetrics',
  isIdempotent: true,
  tag,
  summary: 'Get what is stored, in total and for each job',
  scope,
  query: PlatformQuery,
  responses: { 200: { description: 'The metrics.', schema: PlatformAnswer } },
  errors: [404],
  async handle({ app, principal, query }) {
    const interval = query.aggregation_time_interval ?? PLATFORM_INTERVAL
    const { cluster, overall, perJob } = await app.service.metrics.platform(principal, { ...jobIdsOf(query), interval })
    const own = wireOf({ overall, perJobMetrics: perJob })
    return { es_cluster_metrics: wireOf(cluster), [app.service.name]: own, service: own }
  },
})

function jobIdsOf(query: { readonly job_ids?: readonly number[] }): { readonly jobIds?: readonly number[] } {
  return query.job_ids === undefined || query.job_ids.length === 0 ? {} : { jobIds: query.job_ids }
}

export const metricsReportRoutes: readonly Route[] = [internal, platform]
