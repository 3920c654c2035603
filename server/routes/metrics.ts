/** Metrics: how well jobs and models do, and what is stored (CONTRACT.md#metrics). */
import {
  isRefusal,
  limits,
  type MetricsScope,
  type ModelMetrics as EngineModelMetrics,
  type Scope,
} from '../../engine/index.js'
import { replyError } from '../http/error-reply.js'
import { replyJson } from '../http/reply.js'
import { operation, type Call, type GuardedRoute, type Method, type Route } from '../http/route.js'
import { Checker } from '../http/validate.js'
import { worked } from '../schemas/common.js'
import {
  InternalAnswer,
  InternalQuery,
  JobAndModel,
  JobAndModelQuery,
  JobMetrics,
  JobMetricsQuery,
  MetricsFilters,
  ModelMetrics,
  ModelQuery,
  PlatformAnswer,
  PlatformQuery,
  ProductionDateAnswer,
  ProductionDateQuery,
  RecomputeAnswer,
} from '../schemas/metrics.js'
import { jobByIdOrTitle } from './job-reference.js'
import { wireOf } from './metrics-wire.js'

const tag = 'Metrics'
const scope = 'read:job_metrics' satisfies Scope
/** For what changes metrics. */
const changeScope = 'execute:recompute_model_metrics' satisfies Scope
const TIMEOUT_S = 120
const LATEST_MODELS = 2
const PLATFORM_INTERVAL = '7d'
const filtersExample = { filters: [{ field: 'service.result_label', operator: 'is', value: 'Escalate' }] }
const filtered = { body: MetricsFilters, bodyExample: filtersExample } as const

interface WirePeriod {
  readonly start_datetime?: string
  readonly end_datetime?: string
}

function scopeOf(query: WirePeriod, body: { readonly filters?: unknown }): MetricsScope {
  return {
    ...(query.start_datetime === undefined ? {} : { startDatetime: query.start_datetime }),
    ...(query.end_datetime === undefined ? {} : { endDatetime: query.end_datetime }),
    ...(body.filters === undefined ? {} : { filters: body.filters }),
  }
}

/** Without a model there is nothing to be told. */
const noModel: Omit<EngineModelMetrics, 'modelId'> & { readonly modelId: null } = {
  modelId: null,
  confusionMatrix: null,
  overallAccuracy: null,
  overallF1Score: null,
  overallRecall: null,
  overallPrecision: null,
  metricsPerDecision: new Map(),
  isRecomputingMetrics: false,
  lastRecomputedTimestamp: null,
  recomputeStatus: null,
  recomputeError: null,
  kbCountPerDecision: new Map(),
  bucketsInKb: null,
  eventsInKb: null,
}

/** With POST, which takes filters, and with GET, as the management MCP server asks. */
const job = {
  path: '/api/v2/metrics/job',
  tag,
  summary: 'How well a job does',
  description: 'Decisions as they were made, held against what analysts agree on now.',
  scope,
  query: JobMetricsQuery,
  responses: { 200: { description: 'The metrics.', schema: JobMetrics } },
  errors: [404],
  handle: async ({ app, principal, query, body, gone }: Call<typeof JobMetricsQuery, typeof MetricsFilters>) => {
    return wireOf(
      await app.service.metrics.job(jobByIdOrTitle(app, principal, query.job_id), scopeOf(query, body), gone()),
    )
  },
} as const

const jobAndLatestModel = {
  path: '/api/v2/metrics/job_and_latest_model',
  tag,
  summary: 'How well a job and the model it uses do',
  description:
    'The metrics of the model are computed anew, for at most timeout_s; where that is not enough, the last known ones are shown.',
  scope,
  query: JobAndModelQuery,
  responses: { 200: { description: "Both; the job's metrics at top level as well.", schema: JobAndModel } },
  errors: [404],
  async handle({ app, principal, query, body, gone }: Call<typeof JobAndModelQuery, typeof MetricsFilters>) {
    const found = jobByIdOrTitle(app, principal, query.job_id)
    const both = await app.service.metrics.jobAndLatestModel(
      found,
      scopeOf(query, body),
      query.timeout_s ?? TIMEOUT_S,
      gone(),
    )
    const jobWire = wireOf(both.job) as object
    const modelWire = wireOf(both.model ?? noModel)
    return {
      ...jobWire,
      job_id: both.jobId,
      model_id: both.modelId,
      job_metrics: jobWire,
      model_metrics: modelWire,
      active_model_metrics: modelWire,
    }
  },
} as const

function modelRoute(method: Method, operationId: string): Route {
  return operation({
    method,
    path: '/api/v2/metrics/model',
    operationId,
    tag,
    summary: 'How well a model does',
    description:
      'The model by itself, run again over all that analysts agree on, as of its last recomputation. The first look makes one.',
    scope,
    query: ModelQuery,
    responses: { 200: { description: 'The metrics.', schema: ModelMetrics } },
    errors: [404],
    handle: async ({ app, principal, query }) => {
      return wireOf(await app.service.metrics.model(jobByIdOrTitle(app, principal, query.job_id), query.model_id))
    },
  })
}

const recompute = operation({
  method: 'POST',
  path: '/api/v2/metrics/model/request_recompute_metrics',
  operationId: 'requestRecomputeMetrics',
  tag,
  summary: "Have a model's metrics computed anew",
  description: 'Runs in the background, and goes on after a restart. The metrics of the model say how it stands.',
  scope: changeScope,
  query: ModelQuery,
  responses: { 200: { description: 'Asked for.', schema: RecomputeAnswer } },
  errors: [404, 507],
  handle({ app, principal, query }) {
    const answer = app.service.metrics.requestRecompute(jobByIdOrTitle(app, principal, query.job_id), query.model_id)
    const isNew = answer.status === 'queued'
    return {
      message: isNew ? 'Recomputation of metrics is queued' : 'Recomputation of metrics is running already',
      ...(wireOf(answer) as object),
    }
  },
})

const productionDateChecker = new Checker(ProductionDateQuery, 'query')

/** Not found is told in a shape of its own. */
const productionDate: GuardedRoute = {
  method: 'PUT',
  path: '/api/v2/metrics/production_date',
  operationId: 'setProductionDate',
  tag,
  summary: 'Say when a job went into production',
  description: 'From then on its metrics count, where a request names no other start.',
  scope: changeScope,
  query: ProductionDateQuery,
  responses: {
    200: { description: 'Noted.', schema: ProductionDateAnswer, example: { request: worked } },
    404: {
      description: 'No such job.',
      schema: ProductionDateAnswer,
      example: { request: { status: 'NOK', reason: 'job not found', reason_details: null } },
    },
  },
  errors: [507],
  serve(exchange, _params, app, principal) {
    const query = productionDateChecker.checkQuery(exchange.query())
    try {
      app.service.metrics.setProductionDate(jobByIdOrTitle(app, principal, query.job_id), query.production_date)
      replyJson(exchange, 200, { request: worked })
    } catch (error) {
      if (!isRefusal(error, 'job_not_found') || exchange.wantsProblem) return replyError(exchange, error)
      replyJson(exchange, 404, { request: { status: 'NOK', reason: error.message, reason_details: null } })
    }
  },
}

const internal = operation({
  method: 'POST',
  path: '/api/v2/metrics/internal_metrics',
  operationId: 'getInternalMetrics',
  tag,
  summary: 'All that is known of how jobs do, over time',
  description: `An interval splits each job's figures, at most ${limits.metricsIntervalsMax} ways.`,
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
          ...scopeOf(query, body),
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
  tag,
  summary: 'What is stored, over all and job by job',
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

export const metricsRoutes: readonly Route[] = [
  operation({ ...job, method: 'POST', operationId: 'getJobMetrics', ...filtered }),
  operation({ ...job, method: 'GET', operationId: 'readJobMetrics' }),
  operation({ ...jobAndLatestModel, method: 'POST', operationId: 'getJobAndLatestModelMetrics', ...filtered }),
  operation({ ...jobAndLatestModel, method: 'GET', operationId: 'readJobAndLatestModelMetrics' }),
  modelRoute('POST', 'postModelMetrics'),
  modelRoute('GET', 'getModelMetrics'),
  recompute,
  productionDate,
  internal,
  platform,
]
